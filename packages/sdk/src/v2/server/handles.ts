/**
 * @fileoverview Objects that the `register` methods return. Every change notifies clients.
 * @module sdk/v2/server/handles
 */
import type { PromptDraft, ResourceDraft, TemplateDraft, ToolDraft } from "tenon/host";
import type { Icon, ToolHints } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import type { PromptFacts } from "../../mcp-server/registrations/prompts.js";
import { omitUndefined, Registration } from "../../mcp-server/registrations/registry.js";
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
  get description(): string | undefined {
    return this.slot.facts.description;
  }

  set description(description: string | undefined) {
    this.slot.change({ description });
  }

  get inputSchema(): AnySchema | undefined {
    return this.slot.facts.inputSchema;
  }

  set inputSchema(inputSchema: AnySchema | undefined) {
    this.slot.change({ inputSchema });
  }

  get outputSchema(): AnySchema | undefined {
    return this.slot.facts.outputSchema;
  }

  set outputSchema(outputSchema: AnySchema | undefined) {
    this.slot.change({ outputSchema });
  }

  get annotations(): ToolHints | undefined {
    return this.slot.facts.annotations;
  }

  set annotations(annotations: ToolHints | undefined) {
    this.slot.change({ annotations });
  }

  get icons(): readonly Icon[] | undefined {
    return this.slot.facts.icons;
  }

  set icons(icons: readonly Icon[] | undefined) {
    this.slot.change({ icons });
  }

  get scopeChallenge(): ScopeChallengeHandler | undefined {
    return this.slot.facts.scopeChallenge;
  }

  set scopeChallenge(scopeChallenge: ScopeChallengeHandler | undefined) {
    this.slot.change({ scopeChallenge });
  }

  get _meta(): JsonObject | undefined {
    return this.slot.facts._meta;
  }

  set _meta(_meta: JsonObject | undefined) {
    this.slot.change({ _meta });
  }

  get handler(): Callback {
    return this.slot.facts.handler;
  }

  set handler(handler: Callback) {
    this.slot.change({ handler });
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
  get description(): string | undefined {
    return this.slot.facts.description;
  }

  set description(description: string | undefined) {
    this.slot.change({ description });
  }

  get argsSchema(): AnySchema | undefined {
    return this.slot.facts.argsSchema;
  }

  set argsSchema(argsSchema: AnySchema | undefined) {
    this.slot.change({ argsSchema });
  }

  get icons(): readonly Icon[] | undefined {
    return this.slot.facts.icons;
  }

  set icons(icons: readonly Icon[] | undefined) {
    this.slot.change({ icons });
  }

  get scopeChallenge(): ScopeChallengeHandler | undefined {
    return this.slot.facts.scopeChallenge;
  }

  set scopeChallenge(scopeChallenge: ScopeChallengeHandler | undefined) {
    this.slot.change({ scopeChallenge });
  }

  get _meta(): JsonObject | undefined {
    return this.slot.facts._meta;
  }

  set _meta(_meta: JsonObject | undefined) {
    this.slot.change({ _meta });
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
  get name(): string {
    return this.slot.facts.name;
  }

  set name(name: string) {
    this.slot.change({ name });
  }

  get metadata(): ResourceMetadata | undefined {
    return this.slot.facts.metadata;
  }

  set metadata(metadata: ResourceMetadata | undefined) {
    this.slot.change({ metadata });
  }

  get cacheHint(): CacheHint | undefined {
    return this.slot.facts.cacheHint;
  }

  set cacheHint(cacheHint: CacheHint | undefined) {
    this.slot.change({ cacheHint });
  }

  get scopeChallenge(): ScopeChallengeHandler | undefined {
    return this.slot.facts.scopeChallenge;
  }

  set scopeChallenge(scopeChallenge: ScopeChallengeHandler | undefined) {
    this.slot.change({ scopeChallenge });
  }

  get readCallback(): ResourceFacts["readCallback"] {
    return this.slot.facts.readCallback;
  }

  set readCallback(readCallback: ResourceFacts["readCallback"]) {
    this.slot.change({ readCallback });
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
  get resourceTemplate(): ResourceTemplateLike {
    return this.slot.facts.resourceTemplate;
  }

  set resourceTemplate(resourceTemplate: ResourceTemplateLike) {
    this.slot.change({ resourceTemplate });
  }

  get metadata(): ResourceMetadata | undefined {
    return this.slot.facts.metadata;
  }

  set metadata(metadata: ResourceMetadata | undefined) {
    this.slot.change({ metadata });
  }

  get cacheHint(): CacheHint | undefined {
    return this.slot.facts.cacheHint;
  }

  set cacheHint(cacheHint: CacheHint | undefined) {
    this.slot.change({ cacheHint });
  }

  get scopeChallenge(): ScopeChallengeHandler | undefined {
    return this.slot.facts.scopeChallenge;
  }

  set scopeChallenge(scopeChallenge: ScopeChallengeHandler | undefined) {
    this.slot.change({ scopeChallenge });
  }

  get readCallback(): TemplateFacts["readCallback"] {
    return this.slot.facts.readCallback;
  }

  set readCallback(readCallback: TemplateFacts["readCallback"]) {
    this.slot.change({ readCallback });
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
