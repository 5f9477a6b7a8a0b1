/**
 * @fileoverview Objects that the `register` methods return. Every change notifies clients.
 * @module sdk/v2/server/handles
 */
import type { PromptDraft, ResourceDraft, TemplateDraft, ToolDraft } from "tenon/host";
import type { Icon, ToolHints } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import type { PromptFacts } from "../../mcp-server/registrations/prompts.js";
import { defineFacts, omitUndefined, Registration } from "../../mcp-server/registrations/registry.js";
import type { ResourceTemplateLike } from "../../mcp-server/registrations/resource-template.js";
import type { ResourceFacts, TemplateFacts } from "../../mcp-server/registrations/resources.js";
import type { ToolFacts } from "../../mcp-server/registrations/tools.js";
import type { AnySchema, Callback } from "../../mcp-server/requests/types.js";
import type { CacheHint, ResourceMetadata, ScopeChallengeHandler } from "../types.js";
import { toSchema } from "./schemas.js";

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

/** Returns the change of a scope challenge. A challenge that is not mentioned stays. */
function challengeOf({ scopeChallenge }: CommonUpdates): Partial<ExtraFacts> {
  return scopeChallenge === undefined ? {} : { scopeChallenge: scopeChallenge ?? undefined };
}

/** Returns the metadata of a resource after an update. A new title is part of it. */
function withTitle(
  { title, metadata }: { readonly title?: string; readonly metadata?: ResourceMetadata },
  before: ResourceMetadata | undefined,
): ResourceMetadata | undefined {
  return title === undefined ? metadata : { ...(metadata ?? before), title };
}

/** A registered tool. */
export class RegisteredTool extends Registration<ToolFacts & ExtraFacts, ToolDraft> {
  declare description: string | undefined;
  declare inputSchema: AnySchema | undefined;
  declare outputSchema: AnySchema | undefined;
  declare annotations: ToolHints | undefined;
  declare icons: readonly Icon[] | undefined;
  declare scopeChallenge: ScopeChallengeHandler | undefined;
  declare _meta: JsonObject | undefined;
  declare handler: Callback;

  static {
    defineFacts(this, [
      "description",
      "inputSchema",
      "outputSchema",
      "annotations",
      "icons",
      "scopeChallenge",
      "_meta",
      "handler",
    ]);
  }

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
    const { name, paramsSchema, outputSchema, callback, scopeChallenge: _, ...rest } = updates;
    const schemas = { inputSchema: toSchema(paramsSchema), outputSchema: toSchema(outputSchema) };
    const change = omitUndefined({ ...rest, ...schemas, handler: callback });
    this.slot.change({ ...change, ...challengeOf(updates) }, name);
  }
}

/** A registered prompt. */
export class RegisteredPrompt extends Registration<PromptFacts & ExtraFacts, PromptDraft> {
  declare description: string | undefined;
  declare argsSchema: AnySchema | undefined;
  declare icons: readonly Icon[] | undefined;
  declare scopeChallenge: ScopeChallengeHandler | undefined;
  declare _meta: JsonObject | undefined;

  static {
    defineFacts(this, ["description", "argsSchema", "icons", "scopeChallenge", "_meta"]);
  }

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
    const { name, argsSchema, scopeChallenge: _, ...rest } = updates;
    const change = omitUndefined({ ...rest, argsSchema: toSchema(argsSchema) });
    this.slot.change({ ...change, ...challengeOf(updates) }, name);
  }
}

/** A registered resource. */
export class RegisteredResource extends Registration<ResourceFacts & CachedFacts, ResourceDraft> {
  declare name: string;
  declare metadata: ResourceMetadata | undefined;
  declare cacheHint: CacheHint | undefined;
  declare scopeChallenge: ScopeChallengeHandler | undefined;
  declare readCallback: ResourceFacts["readCallback"];

  static {
    defineFacts(this, ["name", "metadata", "cacheHint", "scopeChallenge", "readCallback"]);
  }

  /** Updates the resource. A `null` URI removes it. @throws if the URI is already in use */
  update(
    updates: CommonUpdates & {
      readonly name?: string;
      readonly uri?: string | null;
      readonly metadata?: ResourceMetadata;
      readonly callback?: ResourceFacts["readCallback"];
    },
  ): void {
    const { uri, callback, scopeChallenge: _, ...rest } = updates;
    const metadata = withTitle(updates, this.metadata);
    const change = omitUndefined({ ...rest, metadata, readCallback: callback });
    this.slot.change({ ...change, ...challengeOf(updates) }, uri);
  }
}

/** A registered resource template. */
export class RegisteredResourceTemplate extends Registration<TemplateFacts & CachedFacts, TemplateDraft> {
  declare resourceTemplate: ResourceTemplateLike;
  declare metadata: ResourceMetadata | undefined;
  declare cacheHint: CacheHint | undefined;
  declare scopeChallenge: ScopeChallengeHandler | undefined;
  declare readCallback: TemplateFacts["readCallback"];

  static {
    defineFacts(this, ["resourceTemplate", "metadata", "cacheHint", "scopeChallenge", "readCallback"]);
  }

  /** Updates the template. A `null` name removes it. @throws if the name is already in use */
  update(
    updates: CommonUpdates & {
      readonly name?: string | null;
      readonly template?: ResourceTemplateLike;
      readonly metadata?: ResourceMetadata;
      readonly callback?: TemplateFacts["readCallback"];
    },
  ): void {
    const { name, template, callback, scopeChallenge: _, ...rest } = updates;
    const metadata = withTitle(updates, this.metadata);
    const change = omitUndefined({ ...rest, metadata, resourceTemplate: template, readCallback: callback });
    this.slot.change({ ...change, ...challengeOf(updates) }, name);
  }
}
