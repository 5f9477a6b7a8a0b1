/**
 * @fileoverview The official SDK's `McpServer`, implemented on Tenon's core. A server written for the SDK only changes
 * its import, and then supports every protocol revision.
 * @module sdk/mcp-server/mcp-server
 */
import type { Implementation, ToolHints } from "tenon/protocol";
import { BaseMcpServer } from "./base-mcp-server.js";
import { type McpServerOptions, splitOptions, toServerInfo } from "./options.js";
import { assertCallback, assertPromptConfig, assertToolConfig } from "./registrations/check-config.js";
import { RegisteredPrompt } from "./registrations/prompts.js";
import { hasCompleters, type ResourceTemplateLike } from "./registrations/resource-template.js";
import { RegisteredResource, RegisteredResourceTemplate } from "./registrations/resources.js";
import { isShape } from "./registrations/schemas.js";
import { compileTask } from "./registrations/task-option.js";
import { ToolTasks } from "./registrations/tool-tasks.js";
import { RegisteredTool } from "./registrations/tools.js";
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
} from "./requests/types.js";
import { ServerFace } from "./server-face.js";

/**
 * Drop-in replacement for the official SDK's `McpServer`.
 *
 * @example
 * const server = new McpServer({ name: "hello", version: "1.0.0" });
 * server.registerTool("hello", { inputSchema: { name: z.string() } }, ({ name }) => ({
 *   content: [{ type: "text", text: `Hello, ${name}!` }],
 * }));
 * await server.connect(new StdioServerTransport());
 */
export class McpServer extends BaseMcpServer<ServerFace> {
  #experimental: { readonly tasks: ToolTasks } | undefined;

  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    const { settings, ...parts } = splitOptions(options);
    super(
      (registrations) =>
        new ServerFace({ ...settings, ...toServerInfo(serverInfo) }, { ...parts, registrations }),
      { maxToolInputElements: options.maxToolInputElements },
    );
    for (const kind of LIST_KINDS) if (parts.capabilities[kind]) this.registered(kind, false);
  }

  /** Experimental functions, which may change: tools that create tasks, for the revision that has them. */
  get experimental(): { readonly tasks: ToolTasks } {
    const { requestScopes } = this.server.hosted;
    const { waits } = this.server.tasks;
    const add: McpServer["addTool"] = (name, facts) => this.addTool(name, facts);
    return (this.#experimental ??= { tasks: new ToolTasks({ requestScopes, waits, add }) });
  }

  /** Connects an official SDK transport, or starts a Tenon transport from its configuration. */
  async connect(transport: Parameters<ServerFace["connect"]>[0]): Promise<void> {
    await this.server.connect(transport);
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
    return new RegisteredTool(this.addTool(name, { ...NO_TOOL_SCHEMAS, ...config, task, handler: callback }));
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
    return new RegisteredTool(this.addTool(name, { ...NO_TOOL_SCHEMAS, ...facts, handler }));
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
    assertCallback(`Resource "${name}"`, callback);
    const { scopes, ...metadata } = config ?? {};
    const common = { title: config?.title, metadata: config && metadata, scopes, enabled: true };
    if (typeof address === "string") {
      const readCallback = callback as ReadResourceCallback; // Safe: the overloads guarantee the type
      const slot = this.registries.resources.add(address, { name, ...common, readCallback });
      this.registered("resources", false);
      return new RegisteredResource(slot);
    }
    const readCallback = callback as ReadResourceTemplateCallback; // Safe: the overloads guarantee the type
    const slot = this.registries.templates.add(name, { resourceTemplate: address, ...common, readCallback });
    this.registered("resources", hasCompleters(address));
    return new RegisteredResourceTemplate(slot);
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
    return new RegisteredPrompt(this.addPrompt(name, { argsSchema: undefined, ...config, callback }));
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
    return new RegisteredPrompt(this.addPrompt(name, { description, argsSchema: rest[0], callback }));
  }
}

const LIST_KINDS = ["tools", "resources", "prompts"] as const;
const NO_TOOL_SCHEMAS = { inputSchema: undefined, outputSchema: undefined };
