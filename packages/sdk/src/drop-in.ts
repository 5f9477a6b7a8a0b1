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

// Each import type needs its own comment, because the official SDK may be missing. The comment must be a JSDoc comment
// on one line: other comments are not copied to the declarations.
/* oxlint-disable typescript/ban-ts-comment, typescript/consistent-type-imports */

/** @ts-ignore `any` without the official SDK */
type SdkMcpServer = import("@modelcontextprotocol/sdk/server/mcp.js").McpServer;
/** @ts-ignore `any` without the official SDK */
type SdkOptions = import("@modelcontextprotocol/sdk/server/mcp.js").McpServerOptions;
/** @ts-ignore `any` without the official SDK */
type SdkTemplate = import("@modelcontextprotocol/sdk/server/mcp.js").ResourceTemplate;
/** @ts-ignore `any` without the official SDK */
type SdkTemplateConstructor = typeof import("@modelcontextprotocol/sdk/server/mcp.js").ResourceTemplate;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredTool = import("@modelcontextprotocol/sdk/server/mcp.js").RegisteredTool;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredPrompt = import("@modelcontextprotocol/sdk/server/mcp.js").RegisteredPrompt;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredResource = import("@modelcontextprotocol/sdk/server/mcp.js").RegisteredResource;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredTemplate = import("@modelcontextprotocol/sdk/server/mcp.js").RegisteredResourceTemplate;
/** @ts-ignore `any` without the official SDK */
type SdkMetadata = import("@modelcontextprotocol/sdk/server/mcp.js").ResourceMetadata;
/** @ts-ignore `any` without the official SDK */
type SdkToolCallback<Args extends Input> =
  import("@modelcontextprotocol/sdk/server/mcp.js").ToolCallback<Args>;
/** @ts-ignore `any` without the official SDK */
type SdkPromptCallback<Args extends Fields> =
  import("@modelcontextprotocol/sdk/server/mcp.js").PromptCallback<Args>;
/** @ts-ignore `any` without the official SDK */
type SdkReadResource = import("@modelcontextprotocol/sdk/server/mcp.js").ReadResourceCallback;
/** @ts-ignore `any` without the official SDK */
type SdkReadTemplate = import("@modelcontextprotocol/sdk/server/mcp.js").ReadResourceTemplateCallback;
/** @ts-ignore `any` without the official SDK */
type SdkListResources = import("@modelcontextprotocol/sdk/server/mcp.js").ListResourcesCallback;
/** @ts-ignore `any` without the official SDK */
type SdkCallToolResult = import("@modelcontextprotocol/sdk/types.js").CallToolResult;
/** @ts-ignore `any` without the official SDK */
type SdkRequest = import("@modelcontextprotocol/sdk/types.js").ServerRequest;
/** @ts-ignore `any` without the official SDK */
type SdkNotification = import("@modelcontextprotocol/sdk/types.js").ServerNotification;
/** @ts-ignore `any` without the official SDK */
type SdkExtra = import("@modelcontextprotocol/sdk/shared/protocol.js").RequestHandlerExtra<
  SdkRequest,
  SdkNotification
>;
/** @ts-ignore `any` without the official SDK */
type SdkInfo = import("@modelcontextprotocol/sdk/types.js").Implementation;

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
    cb: SdkPromptCallback<Args>,
  ): SdkRegisteredPrompt;
  /** Registers a resource that requires scopes. */
  registerResource(
    name: string,
    uri: string,
    config: SdkMetadata & WithScopes,
    cb: SdkReadResource,
  ): SdkRegisteredResource;
  /** Registers a resource template that requires scopes. */
  registerResource(
    name: string,
    template: SdkTemplate,
    config: SdkMetadata & WithScopes,
    cb: SdkReadTemplate,
  ): SdkRegisteredTemplate;
}

type WithScopes = Required<own.ScopesOption>;

type ServerBase = IfInstalled<SdkMcpServer, SdkMcpServer & TenonMembers, OwnMcpServer>;
/** Drop-in replacement for the official SDK's `McpServer`. */
export interface McpServer extends ServerBase {
  /**
   * Registers a tool. The official SDK does not have the options `task`, with which the tool can run as a task, and
   * `scopes`, with which only callers with these scopes can use it.
   */
  registerTool: IfInstalled<SdkMcpServer, RegisterTool, OwnMcpServer["registerTool"]>;
}

/** Not an overload, so that the errors for a wrong callback are those of the official SDK. */
type RegisterTool = <
  OutputArgs extends Record<string, own.AnySchema> | own.AnySchema,
  InputArgs extends Input = undefined,
>(
  name: string,
  config: own.ToolConfig<InputArgs, OutputArgs>,
  cb: SdkToolCallback<InputArgs>,
) => SdkRegisteredTool;

/** Options for `McpServer`: the official SDK's and Tenon's. */
export type McpServerOptions = IfInstalled<
  SdkMcpServer,
  SdkOptions & Omit<OwnOptions, keyof SdkOptions>,
  OwnOptions
>;

/** Server name and version, with optional information for clients. */
type Info = IfInstalled<SdkMcpServer, SdkInfo, Implementation>;

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

type TemplateBase = IfInstalled<SdkTemplate, SdkTemplate, OwnTemplate>;
/** A resource template for `registerResource`. */
export interface ResourceTemplate extends TemplateBase {}

type TemplateConstructor = new (
  uriTemplate: string | UriPattern,
  callbacks: ResourceTemplateCallbacks,
) => ResourceTemplate;

/** A resource template for `registerResource`: a URI pattern, and callbacks that list resources and complete variables. */
export const ResourceTemplate = OwnTemplate as unknown as IfInstalled<
  SdkTemplate,
  SdkTemplateConstructor,
  TemplateConstructor
>; // Safe: tests compare both classes

type ToolBase = IfInstalled<SdkMcpServer, SdkRegisteredTool, OwnTool>;
/** A registered tool. Every change notifies clients. */
export interface RegisteredTool extends ToolBase {}

type PromptBase = IfInstalled<SdkMcpServer, SdkRegisteredPrompt, OwnPrompt>;
/** A registered prompt. Every change notifies clients. */
export interface RegisteredPrompt extends PromptBase {}

type ResourceBase = IfInstalled<SdkMcpServer, SdkRegisteredResource, OwnResource>;
/** A registered resource. Every change notifies clients. */
export interface RegisteredResource extends ResourceBase {}

type RegisteredTemplateBase = IfInstalled<SdkMcpServer, SdkRegisteredTemplate, OwnRegisteredTemplate>;
/** A registered resource template. Every change notifies clients. */
export interface RegisteredResourceTemplate extends RegisteredTemplateBase {}

/** Resource definition, except for its name and URI. */
export type ResourceMetadata = IfInstalled<SdkMcpServer, SdkMetadata, own.ResourceMetadata>;

/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Args extends Input = undefined> = IfInstalled<
  SdkMcpServer,
  SdkToolCallback<Args>,
  own.ToolCallback<Args>
>;

/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends Fields = undefined> = IfInstalled<
  SdkMcpServer,
  SdkPromptCallback<Args>,
  own.PromptCallback<Args>
>;

/** Reads the resource with a URI. */
export type ReadResourceCallback = IfInstalled<SdkMcpServer, SdkReadResource, own.ReadResourceCallback>;

/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = IfInstalled<
  SdkMcpServer,
  SdkReadTemplate,
  own.ReadResourceTemplateCallback
>;

/** Lists a template's resources. */
export type ListResourcesCallback = IfInstalled<SdkMcpServer, SdkListResources, own.ListResourcesCallback>;

/** Last argument of every callback: data about the request, and functions that send messages to the client. */
export type McpExtra = IfInstalled<SdkMcpServer, SdkExtra, own.McpExtra>;

/** Tool callback result. */
export type CallToolResult = IfInstalled<SdkMcpServer, SdkCallToolResult, own.CallToolResult>;
