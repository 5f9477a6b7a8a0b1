/**
 * @fileoverview `McpServer` of the official SDK, version 2, implemented on Tenon's core.
 * @module sdk/v2/server/mcp-server
 */
import type { Auth } from "tenon";
import { isAllowed } from "tenon/host";
import type { Implementation } from "tenon/protocol";
import { isUrl } from "@tenon/internal/security/is-url";
import { BaseMcpServer, findTemplate } from "../../server/base-mcp-server.js";
import type { CommonFacts } from "../../server/registrations/registry.js";
import type {
  RegisteredResource,
  RegisteredResourceTemplate,
  ResourceTemplateLike,
} from "../../server/registrations/resources.js";
import { compileTask, type ToolFacts } from "../../server/registrations/tools.js";
import type { Callback } from "../../types.js";
import type {
  AuthInfo,
  PromptCallback,
  PromptConfig,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredTool,
  ResourceConfig,
  ScopeChallenge,
  ScopeChallengeHandler,
  StandardSchema,
  ToolCallback,
  ToolConfig,
  ZodRawShape,
} from "../types.js";
import type { McpServerOptions } from "./options.js";
import { assertCacheHint } from "./results.js";
import { Server } from "./server.js";

type Given = undefined | ZodRawShape | StandardSchema;

/** Drop-in replacement for `McpServer` of the official SDK, version 2. */
export class McpServer extends BaseMcpServer<Server> {
  constructor(serverInfo: Implementation, options: McpServerOptions = {}) {
    super((registrations) => new Server(serverInfo, options, registrations), options.maxToolInputElements);
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  override async connect(transport: Parameters<Server["connect"]>[0]): Promise<void> {
    // Safe: the function is optional. Official HTTP transports have it.
    const target = transport as { setScopeChallengeResolver?(resolver: ScopeChallengeHandler): void };
    target.setScopeChallengeResolver?.((context) => this.resolveScopeChallenge(context));
    await super.connect(transport);
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
    const { toSchema } = this.server.dialect;
    return this.addToolFacts(name, {
      ...config,
      inputSchema: toSchema(config.inputSchema),
      outputSchema: toSchema(config.outputSchema),
      // `execution` is an option of version 1.
      execution: undefined,
      task: compileTask(name, config.task, this.build()),
      handler: callback,
      enabled: true,
    });
  }

  /** Registers a prompt. @throws if the name is already in use or its schema is not supported */
  registerPrompt<Args extends Given = undefined>(
    name: string,
    config: PromptConfig<Args>,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    return this.addPrompt(name, { ...config, callback });
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
    config: ResourceConfig,
    callback: Callback,
  ): RegisteredResource | RegisteredResourceTemplate {
    if (config.cacheHint !== undefined) assertCacheHint(config.cacheHint, `resource ${name}`);
    return this.addResource(name, address, { config, callback });
  }

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
    return this.registrations.isHidden(uri, auth);
  }

  /** @internal drops notifications that no client receives */
  protected override notify(send: () => Promise<void>): void {
    if (this.isConnected()) super.notify(send);
  }
}

function challengeOf(facts: CommonFacts | undefined) {
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
