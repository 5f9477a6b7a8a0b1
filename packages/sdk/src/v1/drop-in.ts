/**
 * @fileoverview Public classes of version 1. They have the official SDK's own types if it is installed, so that libraries
 * written for the SDK accept our objects. Otherwise, they have the types of our implementation.
 * @module sdk/v1/drop-in
 */
import type { Extension, Middleware } from "tenon";
import type { Implementation } from "tenon/protocol";
import type {
  IfInstalled,
  v1 as sdk,
  v1Server as sdkServer,
  v1Types as sdkTypes,
} from "../official-packages.js";
import type { DropInServer } from "../server/drop-in-server.js";
import {
  ResourceTemplate as OwnTemplate,
  type ResourceTemplateCallbacks,
  type UriPattern,
} from "../server/registrations/resources.js";
import type * as own from "../types.js";
import { McpServer as OwnMcpServer } from "./mcp-server.js";
import type { McpServerOptions } from "./official-types.js";
import type { ServerOptions } from "./options.js";
import { Server as OwnServer } from "./server.js";

/** The official type if the package is installed, or our own. */
type Either<Official, Own> = IfInstalled<typeof sdk, Official, Own>;

type Fields = undefined | Record<string, own.AnySchema>;
type Input = Fields | own.AnySchema;
type WithScopes = Required<own.ScopesOption>;

/** Members that Tenon adds to both classes. */
interface TenonMembers {
  /** Starts a Tenon transport from its configuration, or connects an official transport. */
  connect: OwnMcpServer["connect"];
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): DropInServer;
}

/** Members that Tenon adds to the official `McpServer`. */
interface McpServerMembers extends TenonMembers {
  readonly server: Pick<OwnServer, "connect" | "setNotificationHandler" | "setRequestHandler">;
  /** Adds middleware around every tool, resource, and prompt, such as `standard()`. */
  use(...layers: readonly Middleware[]): this;
  /** Adds an extension, such as `tasks()` from `tenon/tasks`. */
  extension(extension: Extension): this;
  /** Registers a prompt that requires scopes. */
  registerPrompt<Args extends Fields = undefined>(
    name: string,
    config: own.PromptConfig<Args> & WithScopes,
    cb: sdk.PromptCallback<Args>,
  ): sdk.RegisteredPrompt;
  /** Registers a resource that requires scopes. */
  registerResource(
    name: string,
    uri: string,
    config: sdk.ResourceMetadata & WithScopes,
    cb: sdk.ReadResourceCallback,
  ): sdk.RegisteredResource;
  /** Registers a resource template that requires scopes. */
  registerResource(
    name: string,
    template: sdk.ResourceTemplate,
    config: sdk.ResourceMetadata & WithScopes,
    cb: sdk.ReadResourceTemplateCallback,
  ): sdk.RegisteredResourceTemplate;
}

type McpServerBase = Either<sdk.McpServer & McpServerMembers, OwnMcpServer>;
/** Drop-in replacement for the official SDK's `McpServer`. */
export interface McpServer extends McpServerBase {
  /**
   * Registers a tool. The official SDK does not have the options `task`, with which the tool can run as a task, and
   * `scopes`, with which only callers with these scopes can use it.
   */
  registerTool: Either<RegisterTool, OwnMcpServer["registerTool"]>;
}

/** Not an overload, so that the errors for a wrong callback are those of the official SDK. */
type RegisterTool = <
  OutputArgs extends Record<string, own.AnySchema> | own.AnySchema,
  InputArgs extends Input = undefined,
>(
  name: string,
  config: own.ToolConfig<InputArgs, OutputArgs>,
  cb: sdk.ToolCallback<InputArgs>,
) => sdk.RegisteredTool;

/** Server name and version, with optional information for clients. */
type Info = Either<sdkTypes.Implementation, Implementation>;

// The casts below are safe: tests compare both packages.

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
export const McpServer = OwnMcpServer as unknown as new (info: Info, options?: McpServerOptions) => McpServer;

type ServerBase<
  RequestT extends sdkTypes.Request,
  NotificationT extends sdkTypes.Notification,
  ResultT extends sdkTypes.Result,
> = Either<sdkServer.Server<RequestT, NotificationT, ResultT> & TenonMembers, OwnServer>;
/** Drop-in replacement for the official SDK's low-level `Server`. */
export interface Server<
  RequestT extends sdkTypes.Request = sdkTypes.Request,
  NotificationT extends sdkTypes.Notification = sdkTypes.Notification,
  ResultT extends sdkTypes.Result = sdkTypes.Result,
> extends ServerBase<RequestT, NotificationT, ResultT> {}

/**
 * Drop-in replacement for the official SDK's low-level `Server`. It declares exactly the given capabilities, and the
 * application handles every method with `setRequestHandler`. Most servers are easier to write with `McpServer`.
 *
 * @example
 * const server = new Server({ name: "hello", version: "1.0.0" }, { capabilities: { tools: {} } });
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
 * await server.connect(new StdioServerTransport());
 */
export const Server = OwnServer as unknown as new <
  RequestT extends sdkTypes.Request = sdkTypes.Request,
  NotificationT extends sdkTypes.Notification = sdkTypes.Notification,
  ResultT extends sdkTypes.Result = sdkTypes.Result,
>(
  info: Info,
  options?: Either<
    sdkServer.ServerOptions & Omit<ServerOptions, keyof sdkServer.ServerOptions>,
    ServerOptions
  >,
) => Server<RequestT, NotificationT, ResultT>;

type TemplateBase = Either<sdk.ResourceTemplate, OwnTemplate>;
/** A resource template for `registerResource`. */
export interface ResourceTemplate extends TemplateBase {}

/** A resource template for `registerResource`: a URI pattern, and callbacks that list resources and complete variables. */
export const ResourceTemplate = OwnTemplate as unknown as Either<
  typeof sdk.ResourceTemplate,
  new (uriTemplate: string | UriPattern, callbacks: ResourceTemplateCallbacks) => ResourceTemplate
>;
