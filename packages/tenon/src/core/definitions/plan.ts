/**
 * @fileoverview Server definitions before they are compiled, and the editor that the builder and `update` use.
 * @module tenon/core/definitions/plan
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Implementation, McpToolDefinition } from "../../protocol/index.js";
import type { Schema } from "../../schema/schema.js";
import {
  type DefinitionSource,
  parseResources,
  parseTools,
  type Resource,
  Tool,
} from "./json-definitions.js";
import type { Extension } from "./extension.js";
import { draftDefinedResource, draftDefinedTool } from "./handlers.js";
import type { Middleware } from "../call/middleware.js";
import { kindOf } from "@tenon/internal/kind-of";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  parseOptions,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { oneOf, text } from "@tenon/internal/options/option-rows";
import { assertMiddleware } from "./definition-checks.js";
import { SERVER_INFO, type ServerSettings } from "./options.js";
import { draftPrompt, type PromptArguments, type PromptDraft, type PromptSpec } from "./prompt.js";
import {
  draftResource,
  draftResourceTemplate,
  type ResourceDraft,
  type ResourceSpec,
  type ResourceTemplateSpec,
  type TemplateDraft,
} from "./resource.js";
import { type CompileSettings, draftTool, type ToolDraft, type ToolSource, type ToolSpec } from "./tool.js";

/** A server's definitions and settings before they are compiled. Plans are immutable. */
export interface Plan {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly tools: readonly ToolDraft[];
  readonly resources: readonly ResourceDraft[];
  readonly templates: readonly TemplateDraft[];
  readonly prompts: readonly PromptDraft[];
  readonly extensions: readonly Extension[];
  readonly experimental: Readonly<Record<string, JsonObject>>;
  /** The server's own middleware. `settings.layers` also contains the middleware of its extensions. */
  readonly layers: readonly Middleware[];
  readonly settings: CompileSettings;
  readonly pageSize: number | undefined;
  readonly listTtlMs: number;
  /**
   * True to prepare only what a request uses, when it uses it: for servers that are created for every request. Other
   * servers prepare everything at build time.
   */
  readonly isOnDemand?: boolean;
}

/** Creates a plan without definitions. */
export function createPlan(settings: ServerSettings): Plan {
  const { instructions, experimental, jsonSchema, validationErrors, deadlineMs, pageSize, listTtlMs } =
    settings;
  return {
    info: pickOptions(SERVER_INFO, settings) as Implementation, // Safe: the settings have a name and a version
    instructions,
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    extensions: [],
    experimental: experimental ?? {},
    layers: [],
    settings: { layers: [], jsonSchema, validationErrors, deadlineMs },
    pageSize,
    listTtlMs,
  };
}

const DEFINITION_OPTIONS = /* @__PURE__ */ defineOptions("tools", {
  /**
   * Argument validation. `meta` checks that required fields are present. `schema` also checks the full JSON Schema.
   * @default "meta"
   */
  validation: oneOf(["meta", "schema"], { default: "meta", aliases: ["validate"] }),
  /** Name of the source in error messages, such as a file name. */
  label: text({ aliases: ["source", "file"] }),
  /**
   * Listing of grouped tools. `grouped` lists each one as a single tool; `flat` lists every action as a tool.
   * @default "grouped"
   */
  expose: oneOf(["grouped", "flat"], { default: "grouped", aliases: ["exposition"] }),
});

/** Options for adding tools or resources in bulk. */
export interface DefinitionOptions extends OptionsOf<typeof DEFINITION_OPTIONS> {}

type PlanDrafts = Pick<Plan, "tools" | "resources" | "templates" | "prompts">;

/** Drafts that an editor can change. */
type Drafts = { -readonly [Kind in keyof PlanDrafts]: PlanDrafts[Kind][number][] };

const KINDS = ["tools", "resources", "templates", "prompts"] as const;

function copyDrafts({ tools, resources, templates, prompts }: PlanDrafts): Drafts {
  return { tools: [...tools], resources: [...resources], templates: [...templates], prompts: [...prompts] };
}

/** Returns a plan with changes, or the same plan if nothing changes. */
export function editPlan<Context>(plan: Plan, change: (editor: PlanEditor<Context>) => unknown): Plan {
  const editor = new PlanEditor<Context>(plan);
  change(editor);
  return editor.plan;
}

/** Returns true if two lists have the same items in the same order. */
export function hasSameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((item, index) => item === after[index]);
}

/** Edits a copy of a plan. The original plan does not change. */
export class PlanEditor<Context = unknown> {
  readonly #original: Plan;
  #base: Plan;
  #drafts: Drafts;

  constructor(plan: Plan) {
    this.#original = plan;
    this.#base = plan;
    this.#drafts = copyDrafts(plan);
  }

  /** New plan with all edits so far, or the original plan without edits. */
  get plan(): Plan {
    const drafts = this.#drafts;
    const isSame = KINDS.every((kind) => hasSameItems(this.#original[kind], drafts[kind]));
    return isSame && this.#base === this.#original
      ? this.#original
      : { ...this.#base, ...copyDrafts(drafts) };
  }

  /** Changes the server's info or instructions. @throws if the info is invalid */
  set(change: Partial<Pick<Plan, "info" | "instructions">>): this {
    this.#base = { ...this.#base, ...change };
    assertOptions(SERVER_INFO, this.#base.info);
    return this;
  }

  /** Adds a tool. Names are checked when the plan is compiled. */
  tool<In extends Schema | undefined = undefined, Out extends Schema | undefined = undefined>(
    name: string,
    spec: ToolSpec<Context, In, Out>,
  ): this {
    assertToolName(name);
    this.#drafts.tools.push(draftTool(name, spec));
    return this;
  }

  /** Adds tools from definitions or from a tool source. */
  tools(source: ToolSource | readonly (Tool | McpToolDefinition)[], options: DefinitionOptions = {}): this {
    const { validation, label, expose } = parseOptions(DEFINITION_OPTIONS, options);
    if ("toolDrafts" in source) {
      for (const draft of source.toolDrafts({ expose })) this.#drafts.tools.push(draft);
      return this;
    }
    const tools = source.every((one) => one instanceof Tool) ? source : parseTools(source, label);
    for (const tool of tools) this.#drafts.tools.push(draftDefinedTool(tool, validation));
    return this;
  }

  /** Adds tools from JSON. @throws if a definition is invalid */
  toolsJson(source: DefinitionSource, options: DefinitionOptions = {}): this {
    assertOptions(DEFINITION_OPTIONS, options, "toolsJson");
    return this.tools(parseTools(source, options.label), options);
  }

  /** Adds a resource with a fixed URI. */
  resource(name: string, spec: ResourceSpec<Context>): this {
    this.#drafts.resources.push(draftResource(name, spec));
    return this;
  }

  /** Adds resources from definitions. @throws if a definition is invalid */
  resources(list: readonly Resource[], options: DefinitionOptions = {}): this {
    return this.resourcesJson(list, options);
  }

  /** Adds resources from JSON. @throws if a definition is invalid */
  resourcesJson(source: DefinitionSource, options: DefinitionOptions = {}): this {
    const { label } = parseOptions(DEFINITION_OPTIONS, options, "resources");
    for (const one of parseResources(source, label)) this.#drafts.resources.push(draftDefinedResource(one));
    return this;
  }

  /** Adds a resource template, which serves every URI that it matches. */
  resourceTemplate<const Template extends string>(
    name: string,
    spec: ResourceTemplateSpec<Context, Template>,
  ): this {
    this.#drafts.templates.push(draftResourceTemplate(name, spec));
    return this;
  }

  /** Adds a prompt. Names are checked when the plan is compiled. */
  prompt<const Args extends PromptArguments | undefined = undefined>(
    name: string,
    spec: PromptSpec<Context, Args>,
  ): this {
    this.#drafts.prompts.push(draftPrompt(name, spec));
    return this;
  }

  /** Adds middleware around every operation, including those defined earlier. */
  use(...layers: readonly Middleware<Context>[]): this {
    assertMiddleware("`use`", layers);
    // Every call on this server has this context type.
    return this.#setLayers(
      [...this.#base.layers, ...(layers as readonly Middleware[])],
      this.#base.extensions,
    );
  }

  /** Adds an extension. Its middleware runs outside the server's own middleware. */
  extension(extension: Extension): this {
    return this.#setLayers(this.#base.layers, [...this.#base.extensions, extension]);
  }

  /** Removes a tool. @throws if it is not defined */
  removeTool(name: string): this {
    this.#drafts.tools = without("Tool", this.#drafts.tools, name);
    return this;
  }

  /** Removes a resource. @throws if it is not defined */
  removeResource(name: string): this {
    this.#drafts.resources = without("Resource", this.#drafts.resources, name);
    return this;
  }

  /** Removes a resource template. @throws if it is not defined */
  removeResourceTemplate(name: string): this {
    this.#drafts.templates = without("Resource template", this.#drafts.templates, name);
    return this;
  }

  /** Removes a prompt. @throws if it is not defined */
  removePrompt(name: string): this {
    this.#drafts.prompts = without("Prompt", this.#drafts.prompts, name);
    return this;
  }

  /** Replaces all definitions of the given kinds. Other kinds do not change. */
  replace(drafts: Partial<PlanDrafts>): this {
    this.#drafts = copyDrafts({ ...this.#drafts, ...drafts });
    return this;
  }

  /** Puts extension middleware outside the server's own. The new settings object invalidates all compiled entries. */
  #setLayers(layers: readonly Middleware[], extensions: readonly Extension[]): this {
    const all = [...extensions.flatMap((one) => one.middleware), ...layers];
    this.#base = { ...this.#base, layers, extensions, settings: { ...this.#base.settings, layers: all } };
    return this;
  }
}

/** Rejects a definition or a tool source in place of a tool's name. Other names are checked at build time. */
function assertToolName(name: unknown): void {
  if (typeof name !== "object" || name === null) return;
  if ("toolDrafts" in name)
    throw new TypeError("`.tool()` takes a name and a definition; got a grouped tool. Use `.tools(…)`.");
  throw new TypeError(
    `Tool: the name must be a non-empty string; got ${kindOf(name)}. Pass it first: \`.tool("name", { … })\`.`,
  );
}

function without<Draft extends { readonly name: string }>(
  noun: string,
  drafts: readonly Draft[],
  name: string,
): Draft[] {
  const rest = drafts.filter((draft) => draft.name !== name);
  if (rest.length === drafts.length)
    throw new Error(`${noun} "${name}" is not defined, so it cannot be removed.`);
  return rest;
}
