/**
 * @fileoverview What a client must have declared before it may be asked something, and what a server declares.
 * @module protocol/revisions/capabilities
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ClientCapabilities } from "../definitions.js";
import type { Traits } from "./revision.js";

/** The kinds of question a server may ask. */
export type ClientFeature = "form" | "url" | "sampling" | "sampling-tools" | "roots";

/** Returns the capability that a client must declare for `feature`, or `undefined` if it has. */
export function missingCapability(
  feature: ClientFeature,
  declared: ClientCapabilities,
  traits: Traits,
): ClientCapabilities | undefined {
  switch (feature) {
    case "form": {
      const { elicitation } = declared;
      // An empty declaration means forms: it is how they were declared before links existed.
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

/** The features of a server that decide its capabilities. */
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
 * The capabilities to declare.
 *
 * @param pushes whether there is a channel for what the server says unasked; a stateless legacy endpoint has none
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
