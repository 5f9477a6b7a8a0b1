/**
 * @fileoverview `McpServer` of the official SDK, version 2, implemented on Tenon's core.
 * @module sdk/v2/server/mcp-server
 */
import type { Auth } from "tenon";
import { isAllowed } from "tenon/host";
import type { Implementation } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { BaseMcpServer } from "../../mcp-server/base-mcp-server.js";
import type { ListKind } from "../../mcp-server/base-server.js";
import { assertCallback } from "../../mcp-server/registrations/check-config.js";
import { findTemplate } from "../../mcp-server/registrations/registries.js";
import {
  hasCompleters,
  type ResourceTemplateLike,
} from "../../mcp-server/registrations/resource-template.js";
import type { ResourceFacts, TemplateFacts } from "../../mcp-server/registrations/resources.js";
import { compileTask } from "../../mcp-server/registrations/task-option.js";
import type { ToolFacts } from "../../mcp-server/registrations/tools.js";
import type { Callback } from "../../mcp-server/requests/types.js";
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
import type { McpServerOptions } from "./options.js";
import { Server } from "./server.js";

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
export class McpServer extends BaseMcpServer<Server, ExtraFacts, CachedFacts> {
  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    const { maxToolInputElements } = options;
    super((registrations) => new Server(serverInfo, options, registrations), {
      maxToolInputElements,
      prepare: withHint,
    });
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  async connect(transport: Parameters<Server["connect"]>[0]): Promise<void> {
    // Safe: the function is optional. Official HTTP transports have it.
    const target = transport as { setScopeChallengeResolver?(resolver: ScopeChallengeHandler): void };
    target.setScopeChallengeResolver?.((context) => this.resolveScopeChallenge(context));
    await this.server.connect(transport);
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
    const { title, description, inputSchema, outputSchema, annotations, icons, _meta, scopes } = config;
    const slot = this.addTool(name, {
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
      icons,
      _meta,
      scopes,
      scopeChallenge: config.scopeChallenge,
      task: compileTask(name, config.task, this.build()),
      handler: callback,
    });
    return new RegisteredTool(slot);
  }

  /** Registers a prompt. @throws if the name is already in use or its schema is not supported */
  registerPrompt<Args extends Given = undefined>(
    name: string,
    config: PromptConfig<Args>,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    const { title, description, argsSchema, icons, scopeChallenge, _meta, scopes } = config;
    const facts = { title, description, argsSchema, icons, scopeChallenge, _meta, scopes, callback };
    return new RegisteredPrompt(this.addPrompt(name, facts));
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
      const slot = this.registries.resources.add(address, { name, ...common, readCallback });
      this.registered("resources", false);
      return new RegisteredResource(slot);
    }
    const readCallback = callback as TemplateFacts["readCallback"]; // Safe: the dialect passes `ctx`
    const slot = this.registries.templates.add(name, { resourceTemplate: address, ...common, readCallback });
    this.registered("resources", hasCompleters(address));
    return new RegisteredResourceTemplate(slot);
  }
  /* oxlint-enable max-params */

  /** @internal returns the scopes that a request needs in addition, or `undefined` */
  async resolveScopeChallenge(
    context: Parameters<ScopeChallengeHandler>[0],
  ): Promise<ScopeChallenge | undefined> {
    const { method, params = {} } = context.request;
    const { name, uri } = params;
    const { tools, prompts, resources, templates } = this.registries;
    if (method === "tools/call" && typeof name === "string") {
      const facts = tools.get(name)?.facts;
      return missingScopes(facts, context.authInfo) ?? challengeOf(facts)?.(context);
    }
    if (method === "prompts/get" && typeof name === "string")
      return challengeOf(prompts.get(name)?.facts)?.(context);
    if (method !== "resources/read" || typeof uri !== "string" || !isUrl(uri)) return undefined;
    const { href } = new URL(uri);
    const resource = resources.get(href) ?? resources.get(uri);
    return challengeOf(resource?.facts ?? findTemplate(templates, href))?.(context);
  }

  /** @internal returns true if a resource requires scopes that the caller lacks */
  isHidden(uri: string, auth: Pick<Auth, "scopes"> | undefined): boolean {
    return this.view.isHidden(uri, auth);
  }

  /** @internal drops notifications that no client receives */
  protected override notify(send: () => Promise<void>): void {
    if (this.isConnected()) super.notify(send);
  }

  /** @internal declares that a list exists and that its changes are sent, unless the application declared otherwise */
  protected override registered(kind: ListKind, completes: boolean): void {
    const declared = this.server.capabilities[kind];
    const { listChanged = true } = isJsonObject(declared) ? declared : {}; // Safe: typed option
    this.server.declare({ [kind]: { listChanged }, ...(completes ? { completions: {} } : {}) });
  }
}

/**
 * Returns the facts with a callback that attaches the cache hint to its result. The listed title is the one in the
 * metadata.
 */
function withHint<Facts extends CachedFacts & (ResourceFacts | TemplateFacts)>(given: Facts): Facts {
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
  facts: ToolFacts | undefined,
  authInfo: AuthInfo | undefined,
): ScopeChallenge | undefined {
  const [first, ...rest] = facts?.enabled === true ? (facts.scopes ?? []) : [];
  if (first === undefined || isAllowed({ scopes: [first, ...rest] }, authInfo)) return undefined;
  return { scopes: [first, ...rest] };
}
