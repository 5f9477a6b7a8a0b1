/**
 * @fileoverview The official SDK's `McpServer`, implemented on Tenon's core. A server written for the SDK only changes
 * its import, and then supports every protocol revision.
 * @module sdk/mcp-server/mcp-server
 */
import type { Extension, Middleware } from "tenon";
import type { PromptDraft, ResourceDraft, TemplateDraft, ToolDraft } from "tenon/host";
import type { Implementation, ToolHints } from "tenon/protocol";
import type { FacadeServer, Registrations } from "./facade-server.js";
import { draftPrompt, type PromptFacts, RegisteredPrompt } from "./registrations/prompts.js";
import { readRegistries } from "./registrations/read-registries.js";
import { Registry, type RegistryHost } from "./registrations/registry.js";
import { hasCompleters, type ResourceTemplateLike } from "./registrations/resource-template.js";
import {
  draftResource,
  draftTemplate,
  RegisteredResource,
  RegisteredResourceTemplate,
  type ResourceFacts,
  type TemplateFacts,
} from "./registrations/resources.js";
import { assertCallback, assertPromptConfig, assertToolConfig } from "./registrations/check-config.js";
import { completerOf } from "./registrations/completable.js";
import { fieldsOf, isShape, toSchema } from "./registrations/schemas.js";
import { compileTask } from "./registrations/task-option.js";
import { warnAboutToolName } from "./registrations/tool-names.js";
import { ToolTasks } from "./registrations/tool-tasks.js";
import { draftTool, RegisteredTool, type ToolFacts } from "./registrations/tools.js";
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
import { type McpServerOptions, splitOptions, toLimit, toServerInfo } from "./options.js";
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
export class McpServer {
  /** Sets custom handlers, and sends requests and notifications to clients. */
  readonly server: ServerFace;
  readonly #tools: Registry<ToolFacts, ToolDraft>;
  readonly #resources: Registry<ResourceFacts, ResourceDraft>;
  readonly #templates: Registry<TemplateFacts, TemplateDraft>;
  readonly #prompts: Registry<PromptFacts, PromptDraft>;
  /** True once a prompt or a template with a completion callback has been registered. */
  #canComplete = false;
  #experimental: { readonly tasks: ToolTasks } | undefined;

  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    const { settings, capabilities, tasks, messages } = splitOptions(options);
    const face = new ServerFace(
      { ...settings, ...toServerInfo(serverInfo) },
      {
        capabilities,
        registrations: this.#registrations(),
        tasks,
        messages,
      },
    );
    const host: RegistryHost = {
      requestScopes: face.hosted.requestScopes,
      exposeErrors: face.hosted.exposeErrors,
      maxInputElements: toLimit(options.maxToolInputElements),
      dialect: face.dialect,
      assertUsable: (kind, draft) => face.hosted.assertUsable(kind, draft),
      changed: () => face.hosted.refresh(),
    };
    this.server = face;
    this.#tools = new Registry("tools", host, (name, facts: ToolFacts) => draftTool(name, facts, host));
    this.#prompts = new Registry("prompts", host, (name, facts: PromptFacts) =>
      draftPrompt(name, facts, host),
    );
    this.#templates = new Registry("templates", host, (name, facts: TemplateFacts) =>
      draftTemplate(name, facts, host),
    );
    this.#resources = new Registry("resources", host, (uri, facts: ResourceFacts) =>
      draftResource(uri, facts, {
        host,
        isTaken: (name) => this.#resources.all.some(({ draft }) => draft.name === name && draft.uri !== uri),
      }),
    );
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer {
    return this.server.hosted;
  }

  /** Experimental functions, which may change: tools that create tasks, for the revision that has them. */
  get experimental(): { readonly tasks: ToolTasks } {
    const { requestScopes } = this.server.hosted;
    const { waits } = this.server.tasks;
    const add = (name: string, facts: Omit<ToolFacts, "enabled">) => this.#addTool(name, facts);
    return (this.#experimental ??= { tasks: new ToolTasks({ requestScopes, waits, add }) });
  }

  /** Adds middleware around every tool, resource, and prompt, such as `standard()`. Not part of the official SDK. */
  use(...layers: readonly Middleware[]): this {
    this.build().update((editor) => editor.use(...layers));
    return this;
  }

  /** Adds an extension, such as `tasks()` from `tenon/tasks`. Not part of the official SDK. */
  extension(extension: Extension): this {
    this.build().update((editor) => editor.extension(extension));
    return this;
  }

  /** Connects an official SDK transport, or starts a Tenon transport from its configuration. */
  async connect(transport: Parameters<ServerFace["connect"]>[0]): Promise<void> {
    await this.server.connect(transport);
  }

  /** Closes all transports connected with `connect`. */
  async close(): Promise<void> {
    await this.server.close();
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
    const { title, description, inputSchema, outputSchema, annotations, icons, _meta, scopes, task } = config;
    return this.#addTool(name, {
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
      icons,
      _meta,
      scopes,
      task: compileTask(name, task, this.build()),
      handler: callback,
    });
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
    return this.#addTool(name, {
      title: undefined,
      description: description as string | undefined,
      inputSchema,
      outputSchema: undefined,
      annotations: hints,
      icons: undefined,
      _meta: undefined,
      handler,
    });
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
      return new RegisteredResource(this.#resources.add(address, { name, ...common, readCallback }));
    }
    this.#canComplete ||= hasCompleters(address);
    const readCallback = callback as ReadResourceTemplateCallback; // Safe: the overloads guarantee the type
    const facts = { resourceTemplate: address, ...common, readCallback };
    return new RegisteredResourceTemplate(this.#templates.add(name, facts));
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
    const { title, description, argsSchema, icons, _meta, scopes } = config;
    return this.#addPrompt(name, { title, description, argsSchema, icons, _meta, scopes, callback });
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
    return this.#addPrompt(name, { ...NOT_GIVEN, description, argsSchema: rest[0], callback });
  }

  /** Sends a log message to the calling client or, outside a callback, to every connected client. */
  async sendLoggingMessage(...given: Parameters<ServerFace["sendLoggingMessage"]>): Promise<void> {
    await this.server.sendLoggingMessage(...given);
  }

  /** Notifies all clients that the list of tools has changed. */
  sendToolListChanged(): void {
    void this.server.sendToolListChanged();
  }

  /** Notifies all clients that the list of resources has changed. */
  sendResourceListChanged(): void {
    void this.server.sendResourceListChanged();
  }

  /** Notifies all clients that the list of prompts has changed. */
  sendPromptListChanged(): void {
    void this.server.sendPromptListChanged();
  }

  #addTool(
    name: string,
    given: Omit<ToolFacts, "inputSchema" | "outputSchema" | "enabled"> & {
      readonly inputSchema: unknown;
      readonly outputSchema: unknown;
    },
  ): RegisteredTool {
    assertCallback(`Tool "${name}"`, given.handler);
    const inputSchema = toSchema(given.inputSchema);
    const outputSchema = toSchema(given.outputSchema);
    const slot = this.#tools.add(name, { ...given, inputSchema, outputSchema, enabled: true });
    warnAboutToolName(name);
    return new RegisteredTool(slot);
  }

  #addPrompt(
    name: string,
    given: Omit<PromptFacts, "argsSchema" | "enabled"> & { readonly argsSchema: unknown },
  ): RegisteredPrompt {
    assertCallback(`Prompt "${name}"`, given.callback);
    const argsSchema = toSchema(given.argsSchema);
    this.#canComplete ||= Object.values(fieldsOf(argsSchema)).some(
      (field) => completerOf(field) !== undefined,
    );
    return new RegisteredPrompt(this.#prompts.add(name, { ...given, argsSchema, enabled: true }));
  }

  /** Gives the hosted server access to the registries. */
  #registrations(): Registrations {
    const view = readRegistries(() => ({
      tools: this.#tools,
      resources: this.#resources,
      templates: this.#templates,
      prompts: this.#prompts,
    }));
    return Object.assign(view, { canComplete: () => this.#canComplete });
  }
}

const NOT_GIVEN = { title: undefined, icons: undefined, _meta: undefined } as const;
