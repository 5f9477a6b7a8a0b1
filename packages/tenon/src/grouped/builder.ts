/**
 * @fileoverview Builder for grouped tools, which combine many operations in one tool.
 * @module tenon/grouped/builder
 */
import type { Call } from "../core/call/call.js";
import type { Exposition, ToolDraft, ToolSource } from "../core/definitions/tool.js";
import { assertMiddleware, assertScopes } from "../core/definitions/definition-checks.js";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { object } from "@tenon/internal/options/option-rows";
import { kindOf } from "@tenon/internal/kind-of";
import type { McpToolDefinition, ToolResult } from "../protocol/index.js";
import type { OutputOf, StandardSchema } from "../schema/schema.js";
import type { ActionConfig, ActionMetadata, ActionMiddleware, InternalAction } from "./actions/action.js";
import { ActionGroupBuilder } from "./actions/action-group-builder.js";
import { assertName, joinScopes, toInternalAction } from "./actions/internal-action.js";
import { type CallableTool, toCallableTools, toWholeTool } from "./calls/callable-tools.js";
import { type BuiltTool, createBuiltTool } from "./calls/restrictions.js";
import { type ContextOf, draftGrouped } from "./server/drafts.js";
import { describePrompt, type PreviewOptions } from "./preview.js";
import { type ExplicitAnnotations, HINT_OPTIONS } from "./strategies/annotation-aggregator.js";
import { STRATEGIES, type Strategies } from "./strategies/defaults.js";
import { createToonEncoder, type ToonOptions } from "./toon.js";
import type { ToolPlan } from "./calls/tool-plan.js";

const BUILDER_OPTIONS = /* @__PURE__ */ defineOptions("createTool", {
  /** Strategies that replace the defaults. */
  strategies: object(STRATEGIES, { aliases: ["strategy"] }),
});

/** Options for `createTool`. */
export interface BuilderOptions extends OptionsOf<typeof BUILDER_OPTIONS> {}

/**
 * Creates a builder for a grouped tool.
 *
 * @example
 * const users = createTool<App>("users")
 *   .description("Manage users")
 *   .action({ name: "list", readOnly: true, handler: (app) => app.users.all() })
 *   .action({
 *     name: "ban",
 *     schema: z.object({ id: z.string() }),
 *     destructive: true,
 *     handler: (app, { id }) => app.users.ban(id),
 *   });
 */
export function createTool<Context = unknown>(
  name: string,
  options?: BuilderOptions,
): GroupedToolBuilder<Context> {
  return new GroupedToolBuilder<Context>(name, options);
}

/** Compiled tool, and the function that runs any of its actions. */
interface Built<Context> extends BuiltTool<Context> {
  readonly whole: CallableTool<Context>;
}

/** Parts of a tool that the builder's methods set. */
type BuilderSettings = Pick<
  ToolPlan<never>,
  "description" | "commonSchema" | "tags" | "annotations" | "discriminator" | "toon" | "strict"
>;

/** Builds a grouped tool. Once it is built, the tool cannot be changed. */
export class GroupedToolBuilder<Context = unknown, Common = unknown> implements ToolSource {
  readonly #name: string;
  readonly #strategies: Strategies;
  readonly #actions = new Map<string, InternalAction<Context>>();
  readonly #middleware: ActionMiddleware<Context>[] = [];
  #mode: "flat" | "hierarchical" | undefined;
  #scopes: readonly string[] = [];
  #settings: BuilderSettings = {
    description: undefined,
    commonSchema: undefined,
    tags: [],
    annotations: {},
    discriminator: "action",
    toon: undefined,
    strict: false,
  };
  #frozen = false;
  #built: Built<Context> | undefined;

  constructor(name: string, options: BuilderOptions = {}) {
    if (typeof name !== "string" || name === "")
      throw new Error(`Grouped tool: the name must be a non-empty string; got ${kindOf(name)}.`);
    this.#name = name;
    this.#strategies = parseOptions(BUILDER_OPTIONS, options, `Builder "${name}"`).strategies;
  }

  /** Adds an action. A builder accepts either actions or groups, not both. */
  action<Own extends StandardSchema | undefined = undefined>(
    config: ActionConfig<Context, Own, Common>,
  ): this {
    this.#assertMode("flat");
    return this.#add(toInternalAction(config, { middleware: [] }));
  }

  /**
   * Adds a group of actions. The actions get keys such as `billing.refund`.
   *
   * @example .group("billing", (g) => g.use(audited).action({ name: "refund", handler }))
   */
  group(name: string, configure: (group: ActionGroupBuilder<Context, Common>) => unknown): this;
  group(
    name: string,
    description: string,
    configure: (group: ActionGroupBuilder<Context, Common>) => unknown,
  ): this;
  group(
    name: string,
    second: string | ((group: ActionGroupBuilder<Context, Common>) => unknown),
    third?: (group: ActionGroupBuilder<Context, Common>) => unknown,
  ): this {
    this.#assertMode("hierarchical");
    assertName("Group", name);
    const configure = typeof second === "function" ? second : third;
    if (typeof configure !== "function") {
      throw new Error(
        `Group "${name}": the last argument must be a function that adds the group's actions; ` +
          `got ${kindOf(configure)}.`,
      );
    }
    const before = this.#actions.size;
    const description = typeof second === "string" ? second : undefined;
    configure(
      new ActionGroupBuilder(name, description, {
        add: (action) => this.#add(action),
        assertNotFrozen: () => this.#assertNotFrozen(),
      }),
    );
    if (this.#actions.size === before) {
      throw new Error(`Group "${name}" has no actions registered. Add at least one with .action().`);
    }
    return this;
  }

  /** Adds middleware to every action, including actions that were added earlier. The first one is outermost. */
  use(...layers: readonly ActionMiddleware<Context>[]): this {
    this.#assertNotFrozen();
    assertMiddleware(`Builder "${this.#name}"`, layers);
    this.#middleware.push(...layers);
    return this;
  }

  /** Sets the description that the model sees. Without one, the model sees the tool's name. */
  description(text: string): this {
    return this.#set({ description: text });
  }

  /**
   * Declares fields that every action accepts. Call it before adding actions, so that their handlers are typed.
   *
   * @throws on the second call, because handlers may rely on the first schema
   */
  commonSchema<S extends StandardSchema>(schema: S): GroupedToolBuilder<Context, OutputOf<S>> {
    this.#assertNotFrozen();
    if (this.#settings.commonSchema !== undefined) {
      throw new Error(`Builder "${this.#name}" already has a common schema. Call .commonSchema() only once.`);
    }
    // Safe: this is the same builder, typed so that later actions receive these fields.
    return this.#set({ commonSchema: schema }) as unknown as GroupedToolBuilder<Context, OutputOf<S>>;
  }

  /** Sets the tags that filters match. */
  tags(...tags: readonly string[]): this {
    return this.#set({ tags: frozenCopy(tags) });
  }

  /**
   * Requires scopes for every action, in addition to those of the group and the action. Includes actions that were
   * added earlier. Callers that lack one of them do not see the tool.
   */
  scopes(...scopes: readonly string[]): this {
    this.#assertNotFrozen();
    assertScopes(`Builder "${this.#name}"`, scopes);
    this.#scopes = joinScopes(this.#scopes, scopes);
    return this;
  }

  /** Sets hints explicitly. Other hints are derived from the actions. */
  annotations(hints: ExplicitAnnotations): this {
    this.#assertNotFrozen();
    assertOptions(HINT_OPTIONS, hints, `Builder "${this.#name}": annotations`);
    return this.#set({ annotations: frozenCopy(hints) });
  }

  /** Sets the name of the field that selects the action. @default "action" */
  discriminator(field: string): this {
    this.#assertNotFrozen();
    if (typeof field !== "string" || field === "")
      throw new Error(
        `Builder "${this.#name}": the discriminator must be a non-empty string; got ${kindOf(field)}.`,
      );
    return this.#set({ discriminator: field });
  }

  /** Describes the actions in a TOON table, which uses fewer tokens. */
  toonDescription(options?: ToonOptions): this {
    this.#assertNotFrozen();
    return this.#set({ toon: createToonEncoder(options, `Builder "${this.#name}": toonDescription`) });
  }

  /** Rejects undeclared fields instead of dropping them. */
  strict(): this {
    return this.#set({ strict: true });
  }

  /**
   * Compiles the tool and freezes the builder. Later calls return the same frozen definition.
   *
   * @throws if the tool is invalid
   */
  buildToolDefinition(): McpToolDefinition {
    return this.#build().definition;
  }

  /**
   * Runs the action that the arguments select. Builds the tool first if needed. Invalid arguments and handler errors
   * become error results. The promise rejects only if the tool cannot be built.
   */
  async execute(ctx: Context, args: unknown, call?: Call): Promise<ToolResult> {
    return this.#build().whole.execute(ctx, args, call);
  }

  /** Returns the tools that clients see, with their `execute` functions. Builds the tool. */
  getCallableTools(expose: Exposition = "grouped"): readonly CallableTool<Context>[] {
    return toCallableTools(this.#build(), expose);
  }

  getName(): string {
    return this.#name;
  }

  /** Returns a copy of the tags. */
  getTags(): readonly string[] {
    return [...this.#settings.tags];
  }

  /** Returns the keys of all actions, in the order they were added. */
  getActionNames(): readonly string[] {
    return [...this.#actions.keys()];
  }

  /** Returns each action's metadata, such as its hints and required fields. */
  getActionMetadata(): readonly ActionMetadata[] {
    return this.#scopedActions().map((action) => ({
      key: action.key,
      actionName: action.actionName,
      ...(action.groupName === undefined ? {} : { groupName: action.groupName }),
      ...(action.description === undefined ? {} : { description: action.description }),
      destructive: action.destructive,
      idempotent: action.idempotent,
      readOnly: action.readOnly,
      requiredFields: this.#strategies.requiredFields(action, this.#settings.commonSchema),
      hasMiddleware: action.middleware.length > 0,
      ...(action.scopes === undefined ? {} : { scopes: action.scopes }),
      ...(action.task === undefined ? {} : { task: action.task.mode }),
    }));
  }

  /** Returns the definition that the model sees as readable text, with its token cost. Builds the tool. */
  previewPrompt(options?: PreviewOptions): string {
    return describePrompt(this.buildToolDefinition(), options);
  }

  /** Returns drafts for a server's `.tools()` method: one tool, or one tool per action. Builds the tool. */
  toolDrafts(
    options: {
      readonly expose?: Exposition | undefined;
      readonly contextOf?: ContextOf<Context> | undefined;
    } = {},
  ): readonly ToolDraft[] {
    return draftGrouped(this.#build(), options.expose, options.contextOf);
  }

  #set(changes: Partial<BuilderSettings>): this {
    this.#assertNotFrozen();
    this.#settings = { ...this.#settings, ...changes };
    return this;
  }

  /** Stores an action. The first stored action sets the mode. A failed call does not change it. */
  #add(action: InternalAction<Context>): this {
    const mode = action.groupName === undefined ? "flat" : "hierarchical";
    this.#assertMode(mode);
    const { key } = action;
    if (this.#actions.has(key)) {
      throw new Error(
        `Action "${key}" is already registered on builder "${this.#name}". Names must be unique.`,
      );
    }
    this.#actions.set(key, action);
    this.#mode = mode;
    return this;
  }

  /** Returns the actions with the tool's scopes. */
  #scopedActions(): InternalAction<Context>[] {
    const actions = [...this.#actions.values()];
    if (this.#scopes.length === 0) return actions;
    return actions.map((action) =>
      Object.freeze({ ...action, scopes: joinScopes(this.#scopes, action.scopes) }),
    );
  }

  #assertMode(mode: "flat" | "hierarchical"): void {
    this.#assertNotFrozen();
    if (this.#mode === undefined || this.#mode === mode) return;
    throw new Error(
      `Cannot use .action() and .group() on the same builder "${this.#name}".\n` +
        "Use .action() for flat tools OR .group() for hierarchical tools.",
    );
  }

  #build(): Built<Context> {
    if (this.#built !== undefined) return this.#built;
    // Freeze before the strategies run. A custom strategy may hold a reference to the builder and try to change it.
    this.#frozen = true;
    try {
      this.#built = this.#compile();
    } finally {
      // After a failed build, the builder can still be corrected.
      this.#frozen = this.#built !== undefined;
    }
    return this.#built;
  }

  #compile(): Built<Context> {
    if (this.#actions.size === 0) throw new Error(`Builder "${this.#name}" has no actions registered.`);
    const plan: ToolPlan<Context> = Object.freeze({
      ...this.#settings,
      name: this.#name,
      actions: Object.freeze(this.#scopedActions()),
      middleware: Object.freeze([...this.#middleware]),
      hasGroup: this.#mode === "hierarchical",
      strategies: this.#strategies,
    });
    const built = createBuiltTool(plan);
    return { ...built, whole: toWholeTool(built) };
  }

  #assertNotFrozen(): void {
    if (!this.#frozen) return;
    throw new Error(
      `Builder "${this.#name}" is frozen after buildToolDefinition(). Cannot modify a built tool.`,
    );
  }
}
