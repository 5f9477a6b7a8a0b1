/**
 * @fileoverview The builder of grouped tools: many operations, written one by one, become one tool.
 * @module grouped/builder
 */
import type { Call } from "../core/call/call.js";
import type { Exposition, ToolDraft, ToolSource } from "../core/definitions/tool.js";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { McpToolDefinition, ToolResult } from "../protocol/index.js";
import type { OutputOf, StandardSchema } from "../schema/schema.js";
import type { ActionConfig, ActionMetadata, ActionMiddleware, InternalAction } from "./actions/action.js";
import { ActionGroupBuilder } from "./actions/action-group-builder.js";
import { assertMiddleware, assertName, toInternalAction } from "./actions/internal-action.js";
import { type BuiltTool, type CallableTool, toCallableTools, toWholeTool } from "./calls/callable-tools.js";
import { defineGroupedTool } from "./calls/definitions.js";
import { type ContextOf, draftGrouped } from "./server/drafts.js";
import { describePrompt, type PreviewOptions } from "./preview.js";
import { compileRoutes } from "./calls/routes.js";
import type { ExplicitAnnotations } from "./strategies/annotation-aggregator.js";
import { DEFAULT_STRATEGIES, type Strategies } from "./strategies/defaults.js";
import type { ToonEncoder } from "./strategies/toon-description-generator.js";
import { createToonEncoder, type ToonOptions } from "./toon.js";
import type { ToolPlan } from "./calls/tool-plan.js";

/** How a builder works. */
export interface BuilderOptions {
  /** Strategies to use instead of the usual ones. */
  readonly strategies?: Partial<Strategies>;
}

/**
 * Starts a grouped tool.
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

/** What a builder has made, and the code of the tool as a whole. */
interface Built<Context> extends BuiltTool<Context> {
  readonly whole: CallableTool<Context>;
}

/** Builds a grouped tool. After it was built it cannot be changed. */
export class GroupedToolBuilder<Context = unknown, Common = unknown> implements ToolSource {
  readonly #name: string;
  readonly #strategies: Strategies;
  readonly #actions = new Map<string, InternalAction<Context>>();
  readonly #middleware: ActionMiddleware<Context>[] = [];
  #mode: "flat" | "hierarchical" | undefined;
  #description: string | undefined;
  #commonSchema: StandardSchema | undefined;
  #tags: readonly string[] = [];
  #annotations: ExplicitAnnotations = {};
  #discriminator = "action";
  #toon: ToonEncoder | undefined;
  #strict = false;
  #frozen = false;
  #built: Built<Context> | undefined;

  constructor(name: string, options: BuilderOptions = {}) {
    if (typeof name !== "string" || name === "") throw new Error("A grouped tool needs a name.");
    this.#name = name;
    this.#strategies = { ...DEFAULT_STRATEGIES, ...options.strategies };
  }

  /** Adds an action; a builder has actions or groups, not both. */
  action<Own extends StandardSchema | undefined = undefined>(
    config: ActionConfig<Context, Own, Common>,
  ): this {
    this.#assertMode("flat");
    return this.#add(toInternalAction(config, { middleware: [] }));
  }

  /**
   * Adds a group of actions.
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
    if (typeof configure !== "function")
      throw new Error(`Group "${name}" needs a function that adds its actions.`);
    const before = this.#actions.size;
    const description = typeof second === "string" ? second : undefined;
    configure(
      new ActionGroupBuilder(name, description, {
        add: (action) => this.#add(action),
        assertNotFrozen: () => this.#assertNotFrozen(),
      }),
    );
    if (this.#actions.size === before) throw new Error(`Group "${name}" has no actions registered.`);
    return this;
  }

  /** Puts layers around every action, whenever it was or will be added; the first is outermost. */
  use(...layers: readonly ActionMiddleware<Context>[]): this {
    this.#assertNotFrozen();
    assertMiddleware(layers);
    this.#middleware.push(...layers);
    return this;
  }

  /** Says what the tool is for. */
  description(text: string): this {
    this.#assertNotFrozen();
    this.#description = text;
    return this;
  }

  /**
   * Declares fields that every action takes. Set it before the actions: their handlers are typed by it.
   *
   * @throws the second time, since handlers may rely on the first
   */
  commonSchema<S extends StandardSchema>(schema: S): GroupedToolBuilder<Context, OutputOf<S>> {
    this.#assertNotFrozen();
    if (this.#commonSchema !== undefined) {
      throw new Error(`Builder "${this.#name}" has a common schema already.`);
    }
    this.#commonSchema = schema;
    // The same builder, whose actions get these fields from here on.
    return this as unknown as GroupedToolBuilder<Context, OutputOf<S>>;
  }

  /** Sets the tags that filters go by. */
  tags(...tags: readonly string[]): this {
    this.#assertNotFrozen();
    this.#tags = frozenCopy(tags);
    return this;
  }

  /** Sets hints by hand; what is not set follows from the actions. */
  annotations(hints: ExplicitAnnotations): this {
    this.#assertNotFrozen();
    this.#annotations = frozenCopy(hints);
    return this;
  }

  /** Names the field that says which action is meant. @default "action" */
  discriminator(field: string): this {
    this.#assertNotFrozen();
    if (typeof field !== "string" || field === "") throw new Error("A discriminator needs a name.");
    this.#discriminator = field;
    return this;
  }

  /** Describes the actions in a TOON table, which costs a model fewer tokens. */
  toonDescription(options?: ToonOptions): this {
    this.#assertNotFrozen();
    this.#toon = createToonEncoder(options);
    return this;
  }

  /** Refuses fields that nobody declares, instead of dropping them. */
  strict(): this {
    this.#assertNotFrozen();
    this.#strict = true;
    return this;
  }

  /** Compiles everything and freezes the builder; again, it gives the same frozen definition. @throws naming what is wrong */
  buildToolDefinition(): McpToolDefinition {
    return this.#build().definition;
  }

  /**
   * Runs the action that the arguments name, building first. What goes wrong in the call is a result too; only a tool
   * that cannot be built rejects.
   */
  async execute(ctx: Context, args: unknown, call?: Call): Promise<ToolResult> {
    return this.#build().whole.execute(ctx, args, call);
  }

  /** The tools that clients see, with their code, in either exposition. Builds. */
  getCallableTools(expose: Exposition = "grouped"): readonly CallableTool<Context>[] {
    return toCallableTools(this.#build(), expose);
  }

  getName(): string {
    return this.#name;
  }

  getTags(): readonly string[] {
    return [...this.#tags];
  }

  /** The keys of all actions, in the order of adding. */
  getActionNames(): readonly string[] {
    return [...this.#actions.keys()];
  }

  /** What is known of every action. */
  getActionMetadata(): readonly ActionMetadata[] {
    return Array.from(this.#actions.values(), (action) => ({
      key: action.key,
      actionName: action.actionName,
      ...(action.groupName === undefined ? {} : { groupName: action.groupName }),
      ...(action.description === undefined ? {} : { description: action.description }),
      destructive: action.destructive,
      idempotent: action.idempotent,
      readOnly: action.readOnly,
      requiredFields: this.#strategies.requiredFields(action, this.#commonSchema),
      hasMiddleware: action.middleware.length > 0,
    }));
  }

  /** What a model will see of this tool, with its cost in tokens. Builds. */
  previewPrompt(options?: PreviewOptions): string {
    return describePrompt(this.buildToolDefinition(), options);
  }

  /** For `.tools()` of a server: one tool, or one for each action. Builds. */
  toolDrafts(
    options: {
      readonly expose?: Exposition | undefined;
      readonly contextOf?: ContextOf<Context> | undefined;
    } = {},
  ): readonly ToolDraft[] {
    return draftGrouped(this.#build(), options.expose, options.contextOf);
  }

  /** The mode is that of the first action that got in: a call that failed decides nothing. */
  #add(action: InternalAction<Context>): this {
    const mode = action.groupName === undefined ? "flat" : "hierarchical";
    this.#assertMode(mode);
    const { key } = action;
    if (this.#actions.has(key)) {
      throw new Error(`Action "${key}" is already registered on builder "${this.#name}".`);
    }
    this.#actions.set(key, action);
    this.#mode = mode;
    return this;
  }

  #assertMode(mode: "flat" | "hierarchical"): void {
    this.#assertNotFrozen();
    if (this.#mode === undefined || this.#mode === mode) return;
    const [first, second] = mode === "flat" ? [".action()", ".group()"] : [".group()", ".action()"];
    throw new Error(
      `Cannot use ${first} and ${second} on the same builder "${this.#name}".\n` +
        "Use .action() for flat tools OR .group() for hierarchical tools.",
    );
  }

  #build(): Built<Context> {
    if (this.#built !== undefined) return this.#built;
    // Before the strategies run: they are foreign code, and may hold the builder.
    this.#frozen = true;
    try {
      this.#built = this.#compile();
    } finally {
      // What could not be built may be put right.
      this.#frozen = this.#built !== undefined;
    }
    return this.#built;
  }

  #compile(): Built<Context> {
    if (this.#actions.size === 0) throw new Error(`Builder "${this.#name}" has no actions registered.`);
    const plan: ToolPlan<Context> = Object.freeze({
      name: this.#name,
      description: this.#description,
      actions: Object.freeze([...this.#actions.values()]),
      middleware: Object.freeze([...this.#middleware]),
      commonSchema: this.#commonSchema,
      tags: this.#tags,
      annotations: this.#annotations,
      discriminator: this.#discriminator,
      hasGroup: this.#mode === "hierarchical",
      toon: this.#toon,
      strict: this.#strict,
      strategies: this.#strategies,
    });
    const built = { plan, definition: defineGroupedTool(plan), routes: compileRoutes(plan, false) };
    return { ...built, whole: toWholeTool(built) };
  }

  #assertNotFrozen(): void {
    if (!this.#frozen) return;
    throw new Error(
      `Builder "${this.#name}" is frozen after buildToolDefinition(). Cannot modify a built tool.`,
    );
  }
}
