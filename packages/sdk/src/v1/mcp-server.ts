/**
 * @fileoverview The official SDK's `McpServer`, version 1, implemented on Tenon's core. A server written for the SDK only
 * changes its import, and then supports every protocol revision.
 * @module sdk/v1/mcp-server
 */
import type { Implementation, ToolHints } from "tenon/protocol";
import { BaseMcpServer } from "../server/base-mcp-server.js";
import { assertPromptConfig, assertToolConfig } from "../server/registrations/check-config.js";
import type { RegisteredPrompt } from "../server/registrations/prompts.js";
import type {
  RegisteredResource,
  RegisteredResourceTemplate,
  ResourceTemplateLike,
} from "../server/registrations/resources.js";
import { isShape } from "../server/registrations/schemas.js";
import { ToolTasks } from "../server/registrations/tool-tasks.js";
import { compileTask, type RegisteredTool } from "../server/registrations/tools.js";
import type {
  AnySchema,
  Callback,
  NotASchema,
  PromptCallback,
  PromptConfig,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  ResourceConfig,
  ResourceMetadata,
  Shape,
  ToolCallback,
  ToolConfig,
} from "../types.js";
import type { McpServerOptions } from "./options.js";
import { Server } from "./server.js";

/** Drop-in replacement for the official SDK's `McpServer`. */
export class McpServer extends BaseMcpServer<Server> {
  #experimental: { readonly tasks: ToolTasks } | undefined;

  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    super((registrations) => new Server(serverInfo, options, registrations), options.maxToolInputElements);
    for (const kind of LIST_KINDS) if (this.server.capabilities[kind]) this.registered(kind, false);
  }

  /** Experimental functions, which may change: tools that create tasks, for the revision that has them. */
  get experimental(): { readonly tasks: ToolTasks } {
    const { requestScopes } = this.server.hosted;
    const { waits } = this.server.tasks;
    const add: McpServer["addTool"] = (name, facts) => this.addTool(name, facts);
    return (this.#experimental ??= { tasks: new ToolTasks({ requestScopes, waits, add }) });
  }

  /** Returns true while at least one client is connected. */
  isConnected(): boolean {
    return this.server.hosted.attached.size > 0;
  }

  /** Registers a tool. @throws if the name is already in use or a schema is not supported */
  registerTool<
    Output extends undefined | Shape | AnySchema = undefined,
    Input extends undefined | Shape | AnySchema = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output> & NotASchema,
    callback: ToolCallback<Input>,
  ): RegisteredTool {
    assertToolConfig(name, config);
    const task = compileTask(name, config.task, this.build());
    return this.addTool(name, { ...config, task, handler: callback });
  }

  /** Registers a tool with positional arguments. @deprecated Use `registerTool`. */
  tool(name: string, callback: ToolCallback): RegisteredTool;
  tool(name: string, description: string, callback: ToolCallback): RegisteredTool;
  tool<Args extends Shape>(
    name: string,
    schemaOrHints: Args | ToolHints,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  tool<Args extends Shape>(
    name: string,
    description: string,
    schemaOrHints: Args | ToolHints,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  tool<Args extends Shape>(
    name: string,
    schema: Args,
    hints: ToolHints,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  tool<Args extends Shape>(
    name: string,
    description: string,
    schema: Args,
    hints: ToolHints,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  tool(name: string, ...given: readonly unknown[]): RegisteredTool {
    const handler = given.at(-1) as Callback; // Safe: the callback is the last argument of every overload
    const rest = given.slice(0, -1);
    const description = typeof rest[0] === "string" ? rest.shift() : undefined;
    const inputSchema = isShape(rest[0]) ? rest.shift() : undefined;
    const hints = rest.shift() as ToolHints | undefined; // Safe: other objects are rejected below
    if (
      hints !== undefined &&
      Object.values(hints).some((hint) => typeof hint === "object" && hint !== null)
    ) {
      throw new Error(
        `Tool ${name} expected a Zod schema or ToolAnnotations, but received an unrecognized object`,
      );
    }
    const facts = { description: description as string | undefined, inputSchema, annotations: hints };
    return this.addTool(name, { ...facts, handler });
  }

  /** Registers a resource or a resource template. @throws if the URI or the name is already in use */
  registerResource(
    name: string,
    uri: string,
    config: ResourceConfig,
    callback: ReadResourceCallback,
  ): RegisteredResource;
  registerResource(
    name: string,
    template: ResourceTemplateLike,
    config: ResourceConfig,
    callback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  registerResource(
    name: string,
    address: string | ResourceTemplateLike,
    config: ResourceConfig | undefined,
    callback: ReadResourceCallback | ReadResourceTemplateCallback,
  ): RegisteredResource | RegisteredResourceTemplate {
    return this.addResource(name, address, { config, callback });
  }

  /** Registers a resource with positional arguments. @deprecated Use `registerResource`. */
  resource(name: string, uri: string, callback: ReadResourceCallback): RegisteredResource;
  resource(
    name: string,
    uri: string,
    metadata: ResourceMetadata,
    callback: ReadResourceCallback,
  ): RegisteredResource;
  resource(
    name: string,
    template: ResourceTemplateLike,
    callback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  resource(
    name: string,
    template: ResourceTemplateLike,
    metadata: ResourceMetadata,
    callback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  resource(
    name: string,
    address: string | ResourceTemplateLike,
    ...given: readonly unknown[]
  ): RegisteredResource | RegisteredResourceTemplate {
    const metadata = given.length > 1 ? given[0] : undefined;
    // The overloads match each address to its callback type. `registerResource` tells the two kinds apart.
    return this.registerResource(
      name,
      address as string,
      metadata as ResourceMetadata,
      given.at(-1) as never,
    );
  }

  /** Registers a prompt. @throws if the name is already in use or its schema is not supported */
  registerPrompt<Args extends undefined | Shape = undefined>(
    name: string,
    config: PromptConfig<Args> & NotASchema,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    assertPromptConfig(name, config);
    return this.addPrompt(name, { ...config, callback });
  }

  /** Registers a prompt with positional arguments. @deprecated Use `registerPrompt`. */
  prompt(name: string, callback: PromptCallback): RegisteredPrompt;
  prompt(name: string, description: string, callback: PromptCallback): RegisteredPrompt;
  prompt<Args extends Shape>(
    name: string,
    argsSchema: Args,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt;
  prompt<Args extends Shape>(
    name: string,
    description: string,
    argsSchema: Args,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt;
  prompt(name: string, ...given: readonly unknown[]): RegisteredPrompt {
    const callback = given.at(-1) as Callback; // Safe: the callback is the last argument of every overload
    const rest = given.slice(0, -1);
    const description = typeof rest[0] === "string" ? (rest.shift() as string) : undefined;
    return this.addPrompt(name, { description, argsSchema: rest[0], callback });
  }
}

const LIST_KINDS = ["tools", "resources", "prompts"] as const;
