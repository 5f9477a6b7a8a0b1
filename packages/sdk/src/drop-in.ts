/**
 * @fileoverview Public types of the drop-in. They are the official SDK's own types if it is installed, so that
 * libraries written for the SDK accept our classes. Otherwise, they are the types of our implementation.
 * @module sdk/drop-in
 */
import type { Extension, Middleware } from "tenon";
import type { Implementation } from "tenon/protocol";
import type { IfInstalled } from "./if-installed.js";
import type { FacadeServer } from "./mcp-server/facade-server.js";
import { McpServer as OwnMcpServer } from "./mcp-server/mcp-server.js";
import type { McpServerOptions as OwnOptions } from "./mcp-server/options.js";
import type { RegisteredPrompt as OwnPrompt } from "./mcp-server/registrations/prompts.js";
import {
  ResourceTemplate as OwnTemplate,
  type ResourceTemplateCallbacks,
  type UriPattern,
} from "./mcp-server/registrations/resource-template.js";
import type {
  RegisteredResource as OwnResource,
  RegisteredResourceTemplate as OwnRegisteredTemplate,
} from "./mcp-server/registrations/resources.js";
import type { RegisteredTool as OwnTool } from "./mcp-server/registrations/tools.js";
import type { ServerFace } from "./mcp-server/server-face.js";
import type * as own from "./mcp-server/requests/types.js";

// The official SDK may be missing. Its types are then `any`. Each comment must be a JSDoc comment on one line: other
// comments are not copied to the declarations.
/* oxlint-disable typescript/ban-ts-comment */
/** @ts-ignore `any` without the official SDK */
import type * as sdk from "@modelcontextprotocol/sdk/server/mcp.js";
/** @ts-ignore `any` without the official SDK */
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
/** @ts-ignore `any` without the official SDK */
import type * as sdkTypes from "@modelcontextprotocol/sdk/types.js";

/** The official type if the package is installed, or our own. */
type Either<Official, Own> = IfInstalled<typeof sdk, Official, Own>;

type Fields = undefined | Record<string, own.AnySchema>;
type Input = Fields | own.AnySchema;

/** Members that Tenon adds to the official `McpServer`. */
interface TenonMembers {
  readonly server: Pick<ServerFace, "connect" | "setNotificationHandler" | "setRequestHandler">;
  /** Starts a Tenon transport from its configuration, or connects an official transport. */
  connect: OwnMcpServer["connect"];
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer;
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

type WithScopes = Required<own.ScopesOption>;

type ServerBase = Either<sdk.McpServer & TenonMembers, OwnMcpServer>;
/** Drop-in replacement for the official SDK's `McpServer`. */
export interface McpServer extends ServerBase {
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

/** Options for `McpServer`: the official SDK's and Tenon's. */
export type McpServerOptions = Either<
  sdk.McpServerOptions & Omit<OwnOptions, keyof sdk.McpServerOptions>,
  OwnOptions
>;

/** Server name and version, with optional information for clients. */
type Info = Either<sdkTypes.Implementation, Implementation>;

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
export const McpServer = OwnMcpServer as unknown as new (info: Info, options?: McpServerOptions) => McpServer; // Safe: tests compare both classes

type TemplateBase = Either<sdk.ResourceTemplate, OwnTemplate>;
/** A resource template for `registerResource`. */
export interface ResourceTemplate extends TemplateBase {}

type TemplateConstructor = new (
  uriTemplate: string | UriPattern,
  callbacks: ResourceTemplateCallbacks,
) => ResourceTemplate;

/** A resource template for `registerResource`: a URI pattern, and callbacks that list resources and complete variables. */
export const ResourceTemplate = OwnTemplate as unknown as Either<
  typeof sdk.ResourceTemplate,
  TemplateConstructor
>; // Safe: tests compare both classes

type ToolBase = Either<sdk.RegisteredTool, OwnTool>;
/** A registered tool. Every change notifies clients. */
export interface RegisteredTool extends ToolBase {}

type PromptBase = Either<sdk.RegisteredPrompt, OwnPrompt>;
/** A registered prompt. Every change notifies clients. */
export interface RegisteredPrompt extends PromptBase {}

type ResourceBase = Either<sdk.RegisteredResource, OwnResource>;
/** A registered resource. Every change notifies clients. */
export interface RegisteredResource extends ResourceBase {}

type RegisteredTemplateBase = Either<sdk.RegisteredResourceTemplate, OwnRegisteredTemplate>;
/** A registered resource template. Every change notifies clients. */
export interface RegisteredResourceTemplate extends RegisteredTemplateBase {}

/** Resource definition, except for its name and URI. */
export type ResourceMetadata = Either<sdk.ResourceMetadata, own.ResourceMetadata>;

/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Args extends Input = undefined> = Either<
  sdk.ToolCallback<Args>,
  own.ToolCallback<Args>
>;

/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends Fields = undefined> = Either<
  sdk.PromptCallback<Args>,
  own.PromptCallback<Args>
>;

/** Reads the resource with a URI. */
export type ReadResourceCallback = Either<sdk.ReadResourceCallback, own.ReadResourceCallback>;

/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = Either<
  sdk.ReadResourceTemplateCallback,
  own.ReadResourceTemplateCallback
>;

/** Lists a template's resources. */
export type ListResourcesCallback = Either<sdk.ListResourcesCallback, own.ListResourcesCallback>;

/** Last argument of every callback: data about the request, and functions that send messages to the client. */
export type McpExtra = Either<
  RequestHandlerExtra<sdkTypes.ServerRequest, sdkTypes.ServerNotification>,
  own.McpExtra
>;

/** Tool callback result. */
export type CallToolResult = Either<sdkTypes.CallToolResult, own.CallToolResult>;
