/**
 * @fileoverview Objects that the `register` methods return. Every change notifies clients.
 * @module sdk/v2/server/handles
 */
import type { PromptDraft, ResourceDraft, TemplateDraft, ToolDraft } from "tenon/host";
import type { Icon, ToolHints } from "tenon/protocol";
import type { PromptFacts } from "../../mcp-server/registrations/prompts.js";
import { registrationOf } from "../../mcp-server/registrations/registry.js";
import type { ResourceTemplateLike } from "../../mcp-server/registrations/resource-template.js";
import type { ResourceFacts, TemplateFacts } from "../../mcp-server/registrations/resources.js";
import type { ToolFacts } from "../../mcp-server/registrations/tools.js";
import type { Callback } from "../../mcp-server/requests/types.js";
import type { CacheHint, ResourceMetadata, ScopeChallengeHandler } from "../types.js";

/** Facts that all registrations of version 2 have in addition. */
export interface ExtraFacts {
  readonly scopeChallenge: ScopeChallengeHandler | undefined;
}

/** Facts of resources and templates. */
export interface CachedFacts extends ExtraFacts {
  readonly cacheHint: CacheHint | undefined;
}

/** Changes that all handles accept. `null` removes the scope challenge. */
interface CommonUpdates {
  readonly title?: string;
  readonly enabled?: boolean;
  readonly scopeChallenge?: ScopeChallengeHandler | null;
}

/** Returns the metadata of a resource after an update. A new title is part of it. */
function withTitle(
  { title, metadata }: { readonly title?: string; readonly metadata?: ResourceMetadata },
  before: ResourceMetadata | undefined,
): ResourceMetadata | undefined {
  return title === undefined ? metadata : { ...(metadata ?? before), title };
}

/** A registered tool. */
export class RegisteredTool extends registrationOf<ToolFacts & ExtraFacts, ToolDraft>()(
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "scopeChallenge",
  "_meta",
  "handler",
) {
  /** Updates the tool. @throws if the name is already in use or a schema is not supported */
  update(
    updates: CommonUpdates & {
      readonly name?: string | null;
      readonly description?: string;
      readonly paramsSchema?: unknown;
      readonly outputSchema?: unknown;
      readonly annotations?: ToolHints;
      readonly icons?: readonly Icon[];
      readonly _meta?: Record<string, unknown>;
      readonly callback?: Callback;
    },
  ): void {
    const { name, paramsSchema, outputSchema, callback, ...rest } = updates;
    const { toSchema } = this.slot;
    const schemas = { inputSchema: toSchema(paramsSchema), outputSchema: toSchema(outputSchema) };
    this.apply({ ...rest, ...schemas, handler: callback }, name);
  }
}

/** A registered prompt. */
export class RegisteredPrompt extends registrationOf<PromptFacts & ExtraFacts, PromptDraft>()(
  "description",
  "argsSchema",
  "icons",
  "scopeChallenge",
  "_meta",
) {
  /** Updates the prompt. @throws if the name is already in use or the schema is not supported */
  update(
    updates: CommonUpdates & {
      readonly name?: string | null;
      readonly description?: string;
      readonly argsSchema?: unknown;
      readonly icons?: readonly Icon[];
      readonly _meta?: Record<string, unknown>;
      readonly callback?: Callback;
    },
  ): void {
    const { name, argsSchema, ...rest } = updates;
    this.apply({ ...rest, argsSchema: this.slot.toSchema(argsSchema) }, name);
  }
}

/** A registered resource. */
export class RegisteredResource extends registrationOf<ResourceFacts & CachedFacts, ResourceDraft>()(
  "name",
  "metadata",
  "cacheHint",
  "scopeChallenge",
  "readCallback",
) {
  /** Updates the resource. A `null` URI removes it. @throws if the URI is already in use */
  update(
    updates: CommonUpdates & {
      readonly name?: string;
      readonly uri?: string | null;
      readonly metadata?: ResourceMetadata;
      readonly callback?: ResourceFacts["readCallback"];
    },
  ): void {
    const { uri, callback, ...rest } = updates;
    const metadata = withTitle(updates, this.metadata);
    this.apply({ ...rest, metadata, readCallback: callback }, uri);
  }
}

/** A registered resource template. */
export class RegisteredResourceTemplate extends registrationOf<TemplateFacts & CachedFacts, TemplateDraft>()(
  "resourceTemplate",
  "metadata",
  "cacheHint",
  "scopeChallenge",
  "readCallback",
) {
  /** Updates the template. A `null` name removes it. @throws if the name is already in use */
  update(
    updates: CommonUpdates & {
      readonly name?: string | null;
      readonly template?: ResourceTemplateLike;
      readonly metadata?: ResourceMetadata;
      readonly callback?: TemplateFacts["readCallback"];
    },
  ): void {
    const { name, template, callback, ...rest } = updates;
    const metadata = withTitle(updates, this.metadata);
    this.apply({ ...rest, metadata, resourceTemplate: template, readCallback: callback }, name);
  }
}
