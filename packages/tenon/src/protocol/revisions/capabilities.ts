/**
 * @fileoverview Client capabilities that server requests require, and the capabilities that a server declares.
 * @module tenon/protocol/revisions/capabilities
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ClientCapabilities } from "../definitions.js";
import type { Traits } from "./revision.js";

/** Kinds of requests that a server can send to a client. */
export type ClientFeature = "form" | "url" | "sampling" | "sampling-tools" | "roots";

/** Returns the capability that `feature` requires but the client did not declare, or `undefined` if none is missing. */
export function missingCapability(
  feature: ClientFeature,
  declared: ClientCapabilities,
  traits: Traits,
): ClientCapabilities | undefined {
  switch (feature) {
    case "form": {
      const { elicitation } = declared;
      // An empty object declares forms. Clients declared forms that way before URL elicitation existed.
      const has =
        elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
      return has && traits.formElicitation ? undefined : { elicitation: { form: {} } };
    }
    case "url":
      return declared.elicitation?.url !== undefined && traits.urlElicitation
        ? undefined
        : { elicitation: { url: {} } };
    case "sampling":
      return declared.sampling === undefined ? { sampling: {} } : undefined;
    case "sampling-tools":
      return declared.sampling?.["tools"] === undefined || !traits.samplingTools
        ? { sampling: { tools: {} } }
        : undefined;
    case "roots":
      return declared.roots === undefined ? { roots: {} } : undefined;
  }
}

/** Server features that determine the declared capabilities. */
export interface ServerFeatures {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  readonly extensions: Readonly<Record<string, JsonObject>>;
  readonly experimental: Readonly<Record<string, JsonObject>>;
}

/**
 * Returns the capabilities that a server declares.
 *
 * @param pushes true if the server can send notifications at any time; a stateless legacy endpoint cannot
 */
export function serverCapabilities(features: ServerFeatures, traits: Traits, pushes: boolean): JsonObject {
  const listChanged = pushes ? { listChanged: true } : {};
  return {
    ...(features.tools ? { tools: listChanged } : {}),
    ...(features.resources ? { resources: pushes ? { subscribe: true, ...listChanged } : {} } : {}),
    ...(features.prompts ? { prompts: listChanged } : {}),
    ...(features.completions && traits.completionsCapability ? { completions: {} } : {}),
    ...(features.logging ? { logging: {} } : {}),
    ...(traits.extensionsCapability && Object.keys(features.extensions).length > 0
      ? { extensions: features.extensions }
      : {}),
    ...(Object.keys(features.experimental).length > 0 ? { experimental: features.experimental } : {}),
  };
}
