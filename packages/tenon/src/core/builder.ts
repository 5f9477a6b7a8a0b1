/**
 * @fileoverview The builder: tools, resources and prompts in any order, compiled as a whole by `build`.
 * @module core/builder
 */
import type { Implementation, McpToolDefinition } from "../protocol/index.js";
import type { OutputOf, Schema } from "../schema/schema.js";
import type { DefinitionSource, Resource, Tool } from "./definitions/json-definitions.js";
import type { Extension } from "./definitions/extension.js";
import type { Middleware } from "./call/middleware.js";
import type { ServerOptions } from "./definitions/options.js";
import { type DefinitionOptions, type Plan, PlanEditor } from "./definitions/plan.js";
import type { PromptArguments, PromptSpec } from "./definitions/prompt.js";
import type { ResourceSpec, ResourceTemplateSpec } from "./definitions/resource.js";
import { createServices, Server } from "./server.js";
import { type ToolMap } from "./wire/hosted-server.js";
import type { ToolInput, ToolSource, ToolSpec } from "./definitions/tool.js";

/** The types of one tool, for clients that know it. */
export interface ToolTypes<In, Out> {
  readonly input: ToolInput<In>;
  readonly output: Out extends Schema ? OutputOf<Out> : unknown;
}

/** No tools yet. */
export type NoTools = Record<never, never>;

/** Builds a server. Every method adds to the same builder and returns it, with the new tool in its type. */
export class ServerBuilder<Context = unknown, Tools extends ToolMap = NoTools> {
  readonly #options: ServerOptions;
  readonly #editor: PlanEditor<Context>;

  constructor(options: ServerOptions = DEFAULT_INFO) {
    this.#options = options;
    this.#editor = new PlanEditor<Context>(emptyPlan(options));
  }

  /** Names the server. */
  serverInfo(name: string, version: string): this {
    this.#editor.set({ info: { ...this.#editor.plan.info, name, version } });
    return this;
  }

  /** Tells the model what to know before it uses the tools. */
  instructions(instructions: string): this {
    this.#editor.set({ instructions });
    return this;
  }

  /** Adds middleware around every operation, whenever it was or will be added. */
  use(...layers: readonly Middleware<Context>[]): this {
    this.#editor.use(...layers);
    return this;
  }

  /** Adds a tool in code. Its arguments and result are typed by its schemas. */
  tool<
    const Name extends string,
    In extends Schema | undefined = undefined,
    Out extends Schema | undefined = undefined,
  >(
    name: Name,
    spec: ToolSpec<Context, In, Out>,
  ): ServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>> {
    this.#editor.tool(name, spec);
    // The same builder, which knows one tool more from here on.
    return this as unknown as ServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>>;
  }

  /** Adds tools from definitions, or from anything that can make them. Their names are not known by type. */
  tools(
    source: ToolSource | readonly (Tool | McpToolDefinition)[],
    options?: DefinitionOptions,
  ): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.tools(source, options);
    return this;
  }

  /** Adds tools from JSON; handlers follow with `server.handleTool`. */
  toolsJson(source: DefinitionSource, options?: DefinitionOptions): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.toolsJson(source, options);
    return this;
  }

  /** Adds a resource in code. */
  resource(name: string, spec: ResourceSpec<Context>): this {
    this.#editor.resource(name, spec);
    return this;
  }

  /** Adds a family of resources. The handler's variables are typed by the template. */
  resourceTemplate<const Template extends string>(
    name: string,
    spec: ResourceTemplateSpec<Context, Template>,
  ): this {
    this.#editor.resourceTemplate(name, spec);
    return this;
  }

  /** Adds resources from definitions; handlers follow with `server.handleResource`. */
  resources(list: readonly Resource[], options?: DefinitionOptions): this {
    this.#editor.resources(list, options);
    return this;
  }

  /** Adds resources from JSON; handlers follow with `server.handleResource`. */
  resourcesJson(source: DefinitionSource, options?: DefinitionOptions): this {
    this.#editor.resourcesJson(source, options);
    return this;
  }

  /** Adds a prompt. The handler's arguments are typed by what it declares. */
  prompt<const Args extends PromptArguments | undefined = undefined>(
    name: string,
    spec: PromptSpec<Context, Args>,
  ): this {
    this.#editor.prompt(name, spec);
    return this;
  }

  /**
   * Hands the builder to a function that adds to it: a server in several files reads in order.
   *
   * @example defineServer(info).with(addNotes).with(addSearch)
   */
  with<Result>(add: (builder: this) => Result): Result {
    return add(this);
  }

  /** Adds an extension. */
  extension(extension: Extension): this {
    this.#editor.extension(extension);
    return this;
  }

  /** Compiles everything. @throws naming the definition that is wrong, and where */
  build(): Server<Context, Tools> {
    return new Server<Context, Tools>(this.#editor.plan, createServices(this.#options));
  }
}

const DEFAULT_INFO: ServerOptions = { name: "mcpserver", version: "1.0.0" };

function emptyPlan(options: ServerOptions): Plan {
  const { name, version, title, description, websiteUrl, icons } = options;
  const info: Implementation = {
    name,
    version,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
  };
  const { pageSize, listTtlMs = 60_000 } = options;
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0)) {
    throw new Error(`pageSize must be a positive whole number, not ${pageSize}`);
  }
  if (!Number.isInteger(listTtlMs) || listTtlMs < 0) {
    throw new Error(`listTtlMs must be a whole number of milliseconds, not ${listTtlMs}`);
  }
  return {
    info,
    instructions: options.instructions,
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    extensions: [],
    experimental: options.experimental ?? {},
    layers: [],
    settings: {
      layers: [],
      jsonSchema: options.jsonSchema,
      validationErrors: options.validationErrors,
      deadlineMs: options.deadlineMs,
    },
    pageSize,
    listTtlMs,
  };
}
