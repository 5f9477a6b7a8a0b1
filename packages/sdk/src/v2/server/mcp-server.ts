/**
 * @fileoverview `McpServer` of the official SDK, version 2, implemented on Tenon's core.
 * @module sdk/v2/server/mcp-server
 */
import type { Auth, Extension, Middleware } from "tenon";
import {
  isAllowed,
  type PromptDraft,
  type ResourceDraft,
  type TemplateDraft,
  type ToolDraft,
} from "tenon/host";
import type { Implementation } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { toLimit } from "../../mcp-server/options.js";
import { readRegistries } from "../../mcp-server/registrations/read-registries.js";
import type { FacadeServer, Registrations } from "../../mcp-server/facade-server.js";
import { assertCallback } from "../../mcp-server/registrations/check-config.js";
import { completerOf } from "../../mcp-server/registrations/completable.js";
import { draftPrompt, type PromptFacts } from "../../mcp-server/registrations/prompts.js";
import { Registry, type RegistryHost } from "../../mcp-server/registrations/registry.js";
import type { ResourceTemplateLike } from "../../mcp-server/registrations/resource-template.js";
import {
  draftResource,
  draftTemplate,
  type ResourceFacts,
  type TemplateFacts,
} from "../../mcp-server/registrations/resources.js";
import { fieldsOf } from "../../mcp-server/registrations/schemas.js";
import { compileTask } from "../../mcp-server/registrations/task-option.js";
import { draftTool, type ToolFacts } from "../../mcp-server/registrations/tools.js";
import type { AnySchema, Callback } from "../../mcp-server/requests/types.js";
import type {
  AuthInfo,
  PromptCallback,
  PromptConfig,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  ResourceConfig,
  ScopeChallenge,
  ScopeChallengeHandler,
  StandardSchema,
  ToolCallback,
  ToolConfig,
  ZodRawShape,
} from "../types.js";
import { assertCacheHint, attachHint } from "./cache-hints.js";
import {
  type CachedFacts,
  type ExtraFacts,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
} from "./handles.js";
import type { Missing } from "./missing.js";
import type { McpServerOptions } from "./options.js";
import { toSchema } from "./schemas.js";
import { Server } from "./server.js";

type ToolInfo = ToolFacts & ExtraFacts;
type PromptInfo = PromptFacts & ExtraFacts;
type ResourceInfo = ResourceFacts & CachedFacts;
type TemplateInfo = TemplateFacts & CachedFacts;
type Given = undefined | ZodRawShape | StandardSchema;

/**
 * Drop-in replacement for `McpServer` of the official SDK, version 2.
 *
 * @example
 * const server = new McpServer({ name: "hello", version: "1.0.0" });
 * server.registerTool("hello", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
 *   content: [{ type: "text", text: `Hello, ${name}!` }],
 * }));
 */
export class McpServer {
  /** Sets custom handlers, and sends requests and notifications to the client. */
  readonly server: Server;
  readonly #tools: Registry<ToolInfo, ToolDraft>;
  readonly #resources: Registry<ResourceInfo, ResourceDraft>;
  readonly #templates: Registry<TemplateInfo, TemplateDraft>;
  readonly #prompts: Registry<PromptInfo, PromptDraft>;

  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    const server = new Server(serverInfo, options, this.#registrations());
    const { hosted, dialect } = server;
    const host: RegistryHost = {
      requestScopes: hosted.requestScopes,
      exposeErrors: hosted.exposeErrors,
      maxInputElements: toLimit(options.maxToolInputElements),
      dialect,
      assertUsable: (kind, draft) => hosted.assertUsable(kind, draft),
      changed: () => hosted.refresh(),
    };
    this.server = server;
    this.#tools = new Registry("tools", host, (name, facts: ToolInfo) => draftTool(name, facts, host));
    this.#prompts = new Registry("prompts", host, (name, facts: PromptInfo) =>
      draftPrompt(name, facts, host),
    );
    this.#templates = new Registry("templates", host, (name, facts: TemplateInfo) =>
      draftTemplate(name, withHint(facts), host),
    );
    this.#resources = new Registry("resources", host, (uri, facts: ResourceInfo) =>
      draftResource(uri, withHint(facts), {
        host,
        isTaken: (name) => this.#resources.all.some(({ draft }) => draft.name === name && draft.uri !== uri),
      }),
    );
  }

  /** Returns the live server for `serve`, `toFetch`, or `createClient`. Not part of the official SDK. */
  build(): FacadeServer {
    return this.server.hosted;
  }

  /** Adds middleware around every tool, resource, and prompt. Not part of the official SDK. */
  use(...layers: readonly Middleware[]): this {
    this.build().update((editor) => editor.use(...layers));
    return this;
  }

  /** Adds an extension, such as `tasks()` from `tenon/tasks`. Not part of the official SDK. */
  extension(extension: Extension): this {
    this.build().update((editor) => editor.extension(extension));
    return this;
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  async connect(transport: Parameters<Server["connect"]>[0]): Promise<void> {
    // Safe: the function is optional. Official HTTP transports have it.
    const target = transport as { setScopeChallengeResolver?(resolver: ScopeChallengeHandler): void };
    target.setScopeChallengeResolver?.((context) => this.resolveScopeChallenge(context));
    await this.server.connect(transport);
  }

  /** Closes the transport. */
  async close(): Promise<void> {
    await this.server.close();
  }

  /** Returns true while a client is connected. */
  isConnected(): boolean {
    return this.server.isServing || this.server.hosted.requestScopes.current !== undefined;
  }

  /** Registers a tool. @throws if the name is already in use or a schema is not supported */
  registerTool<Input extends Given = undefined, Output extends Given = undefined>(
    name: string,
    config: ToolConfig<Input, Output>,
    callback: ToolCallback<Input>,
  ): RegisteredTool {
    assertCallback(`Tool "${name}"`, callback);
    const { title, description, inputSchema, outputSchema, annotations, icons, _meta, scopes, task } = config;
    const slot = this.#tools.add(name, {
      title,
      description,
      inputSchema: toSchema(inputSchema),
      outputSchema: toSchema(outputSchema),
      annotations,
      icons,
      _meta,
      scopes,
      scopeChallenge: config.scopeChallenge,
      task: compileTask(name, task, this.build()),
      handler: callback,
      enabled: true,
    });
    this.#declareList("tools");
    return new RegisteredTool(slot);
  }

  /** Registers a prompt. @throws if the name is already in use or its schema is not supported */
  registerPrompt<Args extends Given = undefined>(
    name: string,
    config: PromptConfig<Args>,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    assertCallback(`Prompt "${name}"`, callback);
    const { title, description, argsSchema, icons, scopeChallenge, _meta, scopes } = config;
    const schema = toSchema(argsSchema);
    const facts = { title, description, argsSchema: schema, icons, scopeChallenge, _meta, scopes, callback };
    const slot = this.#prompts.add(name, { ...facts, enabled: true });
    this.#declareList("prompts");
    if (hasCompleter(schema)) this.server.declare({ completions: {} });
    return new RegisteredPrompt(slot);
  }

  // The official SDK fixes this signature.
  /* oxlint-disable max-params */
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
    config: ResourceConfig,
    callback: Callback,
  ): RegisteredResource | RegisteredResourceTemplate {
    assertCallback(`Resource "${name}"`, callback);
    const { cacheHint, scopeChallenge, scopes, ...metadata } = config;
    if (cacheHint !== undefined) assertCacheHint(cacheHint, `resource ${name}`);
    const common = { title: metadata.title, metadata, cacheHint, scopeChallenge, scopes, enabled: true };
    if (typeof address === "string") {
      const readCallback = callback as ResourceFacts["readCallback"]; // Safe: the dialect passes `ctx`
      const slot = this.#resources.add(address, { name, ...common, readCallback });
      this.#declareList("resources");
      return new RegisteredResource(slot);
    }
    const readCallback = callback as TemplateFacts["readCallback"]; // Safe: the dialect passes `ctx`
    const slot = this.#templates.add(name, { resourceTemplate: address, ...common, readCallback });
    this.#declareList("resources");
    const isCompleted = address.uriTemplate.variableNames.some(
      (one) => address.completeCallback(one) !== undefined,
    );
    if (isCompleted) this.server.declare({ completions: {} });
    return new RegisteredResourceTemplate(slot);
  }
  /* oxlint-enable max-params */

  /** Sends a log message to the connected client. Does nothing unless the server declares `logging`. */
  async sendLoggingMessage(
    params: Parameters<Server["sendLoggingMessage"]>[0],
    sessionId?: string,
  ): Promise<void> {
    await this.server.sendLoggingMessage(params, sessionId);
  }

  /** Notifies the client that the list of tools has changed. */
  sendToolListChanged(): void {
    this.#notify(() => this.server.sendToolListChanged());
  }

  /** Notifies the client that the list of resources has changed. */
  sendResourceListChanged(): void {
    this.#notify(() => this.server.sendResourceListChanged());
  }

  /** Notifies the client that the list of prompts has changed. */
  sendPromptListChanged(): void {
    this.#notify(() => this.server.sendPromptListChanged());
  }

  /** @internal returns the scopes that a request needs in addition, or `undefined` */
  async resolveScopeChallenge(
    context: Parameters<ScopeChallengeHandler>[0],
  ): Promise<ScopeChallenge | undefined> {
    const { method, params = {} } = context.request;
    const { name, uri } = params;
    if (method === "tools/call" && typeof name === "string") {
      const facts = this.#tools.get(name)?.facts;
      return missingScopes(facts, context.authInfo) ?? challengeOf(facts)?.(context);
    }
    if (method === "prompts/get" && typeof name === "string")
      return challengeOf(this.#prompts.get(name)?.facts)?.(context);
    if (method !== "resources/read" || typeof uri !== "string" || !isUrl(uri)) return undefined;
    const { href } = new URL(uri);
    const resource = this.#resources.get(href) ?? this.#resources.get(uri);
    return challengeOf(resource?.facts ?? this.#templateOf(href))?.(context);
  }

  /** @internal returns true if a resource requires scopes that the caller lacks */
  isHidden(uri: string, auth: Pick<Auth, "scopes"> | undefined): boolean {
    const facts = this.#resources.get(uri)?.facts ?? this.#templateOf(uri);
    return !isAllowed({ scopes: facts?.scopes ?? [] }, auth);
  }

  #notify(send: () => Promise<void>): void {
    if (this.isConnected())
      void send().catch((error: unknown) => this.server.hosted.report(error, "notification"));
  }

  /** Declares that a list exists and that its changes are sent, unless the application declared otherwise. */
  #declareList(name: "tools" | "resources" | "prompts"): void {
    const declared = this.server.capabilities[name];
    const { listChanged = true } = isJsonObject(declared) ? declared : {}; // Safe: typed option
    this.server.declare({ [name]: { listChanged } });
  }

  #templateOf(uri: string): TemplateInfo | undefined {
    return this.#templates.all.find(({ facts }) => facts.resourceTemplate.uriTemplate.match(uri) !== null)
      ?.facts;
  }

  /** Gives the hosted server access to the registries. */
  #registrations(): Registrations & Missing {
    const view = readRegistries(() => ({
      tools: this.#tools,
      resources: this.#resources,
      templates: this.#templates,
      prompts: this.#prompts,
    }));
    return Object.assign(view, {
      disabledTemplate: (uri: string, auth: Auth | undefined) => {
        const found = this.#templateOf(uri);
        return found?.enabled === false && !this.isHidden(uri, auth)
          ? String(found.resourceTemplate.uriTemplate)
          : undefined;
      },
    });
  }
}

/**
 * Returns the facts with a callback that attaches the cache hint to its result. The listed title is the one in the
 * metadata.
 */
function withHint<Facts extends ResourceInfo | TemplateInfo>(given: Facts): Facts {
  const facts = { ...given, title: undefined };
  const { cacheHint, readCallback } = facts;
  if (cacheHint === undefined) return facts;
  const read = readCallback as (...given: readonly unknown[]) => unknown; // Safe: all arguments are passed on
  return {
    ...facts,
    readCallback: async (...given: readonly unknown[]) => attachHint(await read(...given), cacheHint),
  };
}

function challengeOf(facts: (ExtraFacts & { readonly enabled: boolean }) | undefined) {
  return facts?.enabled === true ? facts.scopeChallenge : undefined;
}

/** Returns the challenge for a tool if the caller lacks one of its `scopes`. */
function missingScopes(
  facts: ToolInfo | undefined,
  authInfo: AuthInfo | undefined,
): ScopeChallenge | undefined {
  const [first, ...rest] = facts?.enabled === true ? (facts.scopes ?? []) : [];
  if (first === undefined || isAllowed({ scopes: [first, ...rest] }, authInfo)) return undefined;
  return { scopes: [first, ...rest] };
}

function hasCompleter(schema: AnySchema | undefined): boolean {
  return Object.values(fieldsOf(schema)).some((field) => completerOf(field) !== undefined);
}
