/**
 * @fileoverview Public classes and functions of version 2 that have more members or options than the official SDK's. They
 * have the official SDK's own types if it is installed, so that libraries written for the SDK accept our objects.
 * Otherwise, they have the types of our implementation.
 * @module sdk/v2/drop-in
 */
import type { Extension, Middleware } from "tenon";
import type { IfInstalled, v2 as sdk, v2Stdio as sdkStdio } from "../official-packages.js";
import type { DropInServer } from "../server/drop-in-server.js";
import type { ScopesOption, ToolTaskOption } from "../types.js";
import type { CreateMcpHandlerOptions, McpServerOptions, ServeStdioOptions } from "./official-types.js";
import { McpServer as OwnMcpServer } from "./server/mcp-server.js";
import * as handler from "./serving/create-mcp-handler.js";
import * as legacy from "./serving/legacy-request.js";
import * as stdio from "./serving/serve-stdio.js";
import type * as own from "./types.js";

/** The official type if the package is installed, or our own. */
type Either<Official, Own> = IfInstalled<typeof sdk, Official, Own>;

type WithScopes = Required<ScopesOption>;
type Schema = undefined | own.StandardSchemaWithJSON;

/** Members that Tenon adds to the official `McpServer`. */
interface TenonMembers {
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): DropInServer;
  /** Adds middleware around every tool, resource, and prompt, such as `standard()`. */
  use(...layers: readonly Middleware[]): this;
  /** Adds an extension, such as `tasks()` from `tenon/tasks`. */
  extension(extension: Extension): this;
  /** Registers a tool that runs as a task for clients that support the Tasks extension, or that requires scopes. */
  registerTool<Args extends Schema = undefined, Output extends Schema = undefined>(
    name: string,
    config: own.ToolConfig<Args, Output> & ({ readonly task: ToolTaskOption } | WithScopes),
    callback: sdk.ToolCallback<Args>,
  ): sdk.RegisteredTool;
  /** Registers a prompt that requires scopes. */
  registerPrompt<Args extends Schema = undefined>(
    name: string,
    config: own.PromptConfig<Args> & WithScopes,
    callback: sdk.PromptCallback<Args>,
  ): sdk.RegisteredPrompt;
  /** Registers a resource that requires scopes. */
  registerResource(
    name: string,
    uri: string,
    config: own.ResourceConfig & WithScopes,
    callback: sdk.ReadResourceCallback,
  ): sdk.RegisteredResource;
  /** Registers a resource template that requires scopes. */
  registerResource(
    name: string,
    template: sdk.ResourceTemplate,
    config: own.ResourceConfig & WithScopes,
    callback: sdk.ReadResourceTemplateCallback,
  ): sdk.RegisteredResourceTemplate;
}

type McpServerBase = Either<sdk.McpServer & TenonMembers, OwnMcpServer>;
/** Drop-in replacement for `McpServer` of the official SDK, version 2. */
export interface McpServer extends McpServerBase {}

// The casts below are safe: tests compare both packages.

/**
 * Drop-in replacement for `McpServer` of the official SDK, version 2.
 *
 * @example
 * const server = new McpServer({ name: "hello", version: "1.0.0" });
 * server.registerTool("hello", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
 *   content: [{ type: "text", text: `Hello, ${name}!` }],
 * }));
 */
export const McpServer = OwnMcpServer as unknown as Either<
  new (info: sdk.Implementation, options?: McpServerOptions) => McpServer,
  typeof OwnMcpServer
>;

/** Creates an HTTP handler with a new server for each request. */
export const createMcpHandler = handler.createMcpHandler as unknown as Either<
  (factory: sdk.McpServerFactory, options?: CreateMcpHandlerOptions) => sdk.McpHttpHandler,
  typeof handler.createMcpHandler
>;

/** Creates a handler for requests of earlier revisions. */
export const legacyStatelessFallback = legacy.legacyStatelessFallback as unknown as Either<
  (
    factory: sdk.McpServerFactory,
    onerror?: (error: Error) => void,
    options?: Pick<CreateMcpHandlerOptions, "maxRequestBodySize" | "maxValues">,
  ) => sdk.LegacyHttpHandler,
  typeof legacy.legacyStatelessFallback
>;

/** Serves one client over stdio, in every protocol revision. */
export const serveStdio = stdio.serveStdio as unknown as Either<
  (factory: sdk.McpServerFactory, options?: ServeStdioOptions) => sdkStdio.StdioServerHandle,
  typeof stdio.serveStdio
>;
