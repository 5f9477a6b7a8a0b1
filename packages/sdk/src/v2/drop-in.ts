/**
 * @fileoverview Public classes and functions. They have the official SDK's own types if it is installed, so that
 * libraries written for the SDK accept our objects. Otherwise, they have the types of our implementation.
 * @module sdk/v2/drop-in
 */
import type { Extension, Middleware } from "tenon";
import type { IfInstalled } from "../if-installed.js";
import type { FacadeServer } from "../mcp-server/facade-server.js";
import { completable as ownCompletable } from "../mcp-server/registrations/completable.js";
import { ResourceTemplate as OwnTemplate } from "../mcp-server/registrations/resource-template.js";
import type { ScopesOption, ToolTaskOption } from "../mcp-server/requests/types.js";
import * as errors from "./errors.js";
import * as events from "./events.js";
import * as input from "./input/input-required.js";
import { fromJsonSchema as ownFromJsonSchema } from "./json-schema.js";
import * as codec from "./request-state-codec.js";
import { McpServer as OwnMcpServer } from "./server/mcp-server.js";
import type * as options from "./server/options.js";
import { SUPPORTED_PROTOCOL_VERSIONS as OWN_VERSIONS } from "./server/options.js";
import { Server as OwnServer } from "./server/server.js";
import * as handler from "./serving/create-mcp-handler.js";
import * as legacy from "./serving/legacy-request.js";
import { requireScopes as ownRequireScopes } from "./serving/scope-challenge.js";
import * as hosts from "./serving/host-checks.js";
import * as stdio from "./serving/serve-stdio.js";
import type * as own from "./types.js";
import { StdioServerTransport as OwnStdioTransport } from "./serving/stdio-transport.js";

// See `drop-in.ts` of version 1 for the form of these comments.
/* oxlint-disable typescript/ban-ts-comment, typescript/consistent-type-imports */

/** @ts-ignore `any` without the official SDK */
type Sdk = typeof import("@modelcontextprotocol/server");
/** @ts-ignore `any` without the official SDK */
type SdkStdio = typeof import("@modelcontextprotocol/server/stdio");

/** Type of an exported value: the official one if the package is installed, or our own. */
type Value<Name extends keyof Sdk, Own> = IfInstalled<Sdk, Sdk[Name], Own>;

// The casts below are safe: tests compare both packages.

/** @ts-ignore `any` without the official SDK */
type SdkMcpServer = import("@modelcontextprotocol/server").McpServer;
/** @ts-ignore `any` without the official SDK */
type SdkOptions = import("@modelcontextprotocol/server").McpServerOptions;
/** @ts-ignore `any` without the official SDK */
type SdkInfo = import("@modelcontextprotocol/server").Implementation;

/** Members that Tenon adds to the official `McpServer`. */
interface TenonMembers {
  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer;
  /** Adds middleware around every tool, resource, and prompt, such as `standard()`. */
  use(...layers: readonly Middleware[]): this;
  /** Adds an extension, such as `tasks()` from `tenon/tasks`. */
  extension(extension: Extension): this;
  /** Registers a tool that runs as a task for clients that support the Tasks extension, or that requires scopes. */
  registerTool<Args extends Schema = undefined, Output extends Schema = undefined>(
    name: string,
    config: own.ToolConfig<Args, Output> & ({ readonly task: ToolTaskOption } | WithScopes),
    callback: SdkToolCallback<Args>,
  ): SdkRegisteredTool;
  /** Registers a prompt that requires scopes. */
  registerPrompt<Args extends Schema = undefined>(
    name: string,
    config: own.PromptConfig<Args> & WithScopes,
    callback: SdkPromptCallback<Args>,
  ): SdkRegisteredPrompt;
  /** Registers a resource that requires scopes. */
  registerResource(
    name: string,
    uri: string,
    config: own.ResourceConfig & WithScopes,
    callback: SdkReadResource,
  ): SdkRegisteredResource;
  /** Registers a resource template that requires scopes. */
  registerResource(
    name: string,
    template: SdkResourceTemplate,
    config: own.ResourceConfig & WithScopes,
    callback: SdkReadTemplate,
  ): SdkRegisteredTemplate;
}

type WithScopes = Required<ScopesOption>;

type Schema = undefined | own.StandardSchemaWithJSON;
/** @ts-ignore `any` without the official SDK */
type SdkToolCallback<Args extends Schema> = import("@modelcontextprotocol/server").ToolCallback<Args>;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredTool = import("@modelcontextprotocol/server").RegisteredTool;
/** @ts-ignore `any` without the official SDK */
type SdkPromptCallback<Args extends Schema> = import("@modelcontextprotocol/server").PromptCallback<Args>;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredPrompt = import("@modelcontextprotocol/server").RegisteredPrompt;
/** @ts-ignore `any` without the official SDK */
type SdkReadResource = import("@modelcontextprotocol/server").ReadResourceCallback;
/** @ts-ignore `any` without the official SDK */
type SdkReadTemplate = import("@modelcontextprotocol/server").ReadResourceTemplateCallback;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredResource = import("@modelcontextprotocol/server").RegisteredResource;
/** @ts-ignore `any` without the official SDK */
type SdkRegisteredTemplate = import("@modelcontextprotocol/server").RegisteredResourceTemplate;

/** Options of `McpServer`: the official SDK's and Tenon's. */
export type McpServerOptions = IfInstalled<
  Sdk,
  SdkOptions & Omit<options.McpServerOptions, keyof SdkOptions>,
  options.McpServerOptions
>;

type McpServerBase = IfInstalled<Sdk, SdkMcpServer & TenonMembers, OwnMcpServer>;
/** Drop-in replacement for `McpServer` of the official SDK, version 2. */
export interface McpServer extends McpServerBase {}

/**
 * Drop-in replacement for `McpServer` of the official SDK, version 2.
 *
 * @example
 * const server = new McpServer({ name: "hello", version: "1.0.0" });
 * server.registerTool("hello", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
 *   content: [{ type: "text", text: `Hello, ${name}!` }],
 * }));
 */
export const McpServer = OwnMcpServer as unknown as IfInstalled<
  Sdk,
  new (info: SdkInfo, options?: McpServerOptions) => McpServer,
  typeof OwnMcpServer
>;

/** @ts-ignore `any` without the official SDK */
type SdkServer = import("@modelcontextprotocol/server").Server;
/** @ts-ignore `any` without the official SDK */
type SdkServerOptions = import("@modelcontextprotocol/server").ServerOptions;

/** Options of `Server`. */
export type ServerOptions = IfInstalled<Sdk, SdkServerOptions, options.ServerOptions>;

/** Low-level server: handlers by method name, and messages to the client. */
export type Server = IfInstalled<Sdk, SdkServer, OwnServer>;

/** Low-level server: handlers by method name, and messages to the client. */
export const Server = OwnServer as unknown as Value<"Server", typeof OwnServer>;

/** @ts-ignore `any` without the official SDK */
type SdkResourceTemplate = import("@modelcontextprotocol/server").ResourceTemplate;
/** A URI pattern, and callbacks that list resources and complete variables. */
export type ResourceTemplate = IfInstalled<Sdk, SdkResourceTemplate, OwnTemplate>;

/** A URI pattern, and callbacks that list resources and complete variables. */
export const ResourceTemplate = OwnTemplate as unknown as Value<"ResourceTemplate", typeof OwnTemplate>;

/** Attaches a completion callback to the schema of a prompt argument. */
export const completable = ownCompletable as unknown as Value<"completable", typeof ownCompletable>;

/** Builds a result that asks the client for input. */
export const inputRequired = input.inputRequired as unknown as Value<
  "inputRequired",
  typeof input.inputRequired
>;

/** Returns the content of an accepted form, or `undefined`. */
export const acceptedContent: Value<"acceptedContent", typeof input.acceptedContent> = input.acceptedContent;

/** Reads the client's response to one request for input. */
export const inputResponse = input.inputResponse as unknown as Value<
  "inputResponse",
  typeof input.inputResponse
>;

/** Recognizes a result that asks the client for input. */
export const isInputRequiredResult = input.isInputRequiredResult as unknown as Value<
  "isInputRequiredResult",
  typeof input.isInputRequiredResult
>;

/** Turns a JSON Schema into a schema for tools and prompts. */
export const fromJsonSchema = ownFromJsonSchema as unknown as Value<
  "fromJsonSchema",
  typeof ownFromJsonSchema
>;

/** Creates functions that sign and verify states between rounds. */
export const createRequestStateCodec = codec.createRequestStateCodec as unknown as Value<
  "createRequestStateCodec",
  typeof codec.createRequestStateCodec
>;

/** Creates an HTTP handler with a new server for each request. */
export const createMcpHandler = handler.createMcpHandler as unknown as Value<
  "createMcpHandler",
  typeof handler.createMcpHandler
>;

/** Returns true for a request of a legacy revision. */
export const isLegacyRequest: Value<"isLegacyRequest", typeof legacy.isLegacyRequest> =
  legacy.isLegacyRequest;

/** Creates a handler for requests of earlier revisions. */
export const legacyStatelessFallback = legacy.legacyStatelessFallback as unknown as Value<
  "legacyStatelessFallback",
  typeof legacy.legacyStatelessFallback
>;

/** Creates a handler that requires OAuth scopes. */
export const requireScopes = ownRequireScopes as unknown as Value<"requireScopes", typeof ownRequireScopes>;

/** @ts-ignore `any` without the official SDK */
type SdkInMemoryServerEventBus = import("@modelcontextprotocol/server").InMemoryServerEventBus;
/** Event bus for one process. */
export type InMemoryServerEventBus = IfInstalled<
  Sdk,
  SdkInMemoryServerEventBus,
  events.InMemoryServerEventBus
>;

/** Event bus for one process. */
export const InMemoryServerEventBus = events.InMemoryServerEventBus as unknown as Value<
  "InMemoryServerEventBus",
  typeof events.InMemoryServerEventBus
>;

/** @ts-ignore `any` without the official SDK */
type SdkProtocolErrorCode = import("@modelcontextprotocol/server").ProtocolErrorCode;
/** JSON-RPC error codes. */
export type ProtocolErrorCode = IfInstalled<Sdk, SdkProtocolErrorCode, errors.ProtocolErrorCode>;

/** JSON-RPC error codes. */
export const ProtocolErrorCode = errors.ProtocolErrorCode as unknown as Value<
  "ProtocolErrorCode",
  typeof errors.ProtocolErrorCode
>;

/** @ts-ignore `any` without the official SDK */
type SdkSdkErrorCode = import("@modelcontextprotocol/server").SdkErrorCode;
/** Codes of errors that are never sent to the other side. */
export type SdkErrorCode = IfInstalled<Sdk, SdkSdkErrorCode, errors.SdkErrorCode>;

/** Codes of errors that are never sent to the other side. */
export const SdkErrorCode = errors.SdkErrorCode as unknown as Value<
  "SdkErrorCode",
  typeof errors.SdkErrorCode
>;

/** @ts-ignore `any` without the official SDK */
type SdkProtocolError = import("@modelcontextprotocol/server").ProtocolError;
/** Error that is sent to the other side, or that was received from it. */
export type ProtocolError = IfInstalled<Sdk, SdkProtocolError, errors.ProtocolError>;

/** Error that is sent to the other side, or that was received from it. */
export const ProtocolError = errors.ProtocolError as unknown as Value<
  "ProtocolError",
  typeof errors.ProtocolError
>;

/** @ts-ignore `any` without the official SDK */
type SdkResourceNotFoundError = import("@modelcontextprotocol/server").ResourceNotFoundError;
/** Reports that a resource does not exist. */
export type ResourceNotFoundError = IfInstalled<Sdk, SdkResourceNotFoundError, errors.ResourceNotFoundError>;

/** Reports that a resource does not exist. */
export const ResourceNotFoundError = errors.ResourceNotFoundError as unknown as Value<
  "ResourceNotFoundError",
  typeof errors.ResourceNotFoundError
>;

/** @ts-ignore `any` without the official SDK */
type SdkUrlElicitationRequiredError = import("@modelcontextprotocol/server").UrlElicitationRequiredError;
/** Reports that the user must first open pages. */
export type UrlElicitationRequiredError = IfInstalled<
  Sdk,
  SdkUrlElicitationRequiredError,
  errors.UrlElicitationRequiredError
>;

/** Reports that the user must first open pages. */
export const UrlElicitationRequiredError = errors.UrlElicitationRequiredError as unknown as Value<
  "UrlElicitationRequiredError",
  typeof errors.UrlElicitationRequiredError
>;

/** @ts-ignore `any` without the official SDK */
type SdkUnsupportedProtocolVersionError =
  import("@modelcontextprotocol/server").UnsupportedProtocolVersionError;
/** Reports a protocol version that is not supported. */
export type UnsupportedProtocolVersionError = IfInstalled<
  Sdk,
  SdkUnsupportedProtocolVersionError,
  errors.UnsupportedProtocolVersionError
>;

/** Reports a protocol version that is not supported. */
export const UnsupportedProtocolVersionError = errors.UnsupportedProtocolVersionError as unknown as Value<
  "UnsupportedProtocolVersionError",
  typeof errors.UnsupportedProtocolVersionError
>;

/** @ts-ignore `any` without the official SDK */
type SdkMissingRequiredClientCapabilityError =
  import("@modelcontextprotocol/server").MissingRequiredClientCapabilityError;
/** Reports capabilities that the client did not declare. */
export type MissingRequiredClientCapabilityError = IfInstalled<
  Sdk,
  SdkMissingRequiredClientCapabilityError,
  errors.MissingRequiredClientCapabilityError
>;

/** Reports capabilities that the client did not declare. */
export const MissingRequiredClientCapabilityError =
  errors.MissingRequiredClientCapabilityError as unknown as Value<
    "MissingRequiredClientCapabilityError",
    typeof errors.MissingRequiredClientCapabilityError
  >;

/** @ts-ignore `any` without the official SDK */
type SdkSdkError = import("@modelcontextprotocol/server").SdkError;
/** Error on this side of the connection. */
export type SdkError = IfInstalled<Sdk, SdkSdkError, errors.SdkError>;

/** Error on this side of the connection. */
export const SdkError = errors.SdkError as unknown as Value<"SdkError", typeof errors.SdkError>;

/** Protocol versions that `initialize` negotiates, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS = OWN_VERSIONS as unknown as Value<
  "SUPPORTED_PROTOCOL_VERSIONS",
  typeof OWN_VERSIONS
>;

/** Serves one client over stdio, in every protocol revision. */
export const serveStdio = stdio.serveStdio as unknown as IfInstalled<
  SdkStdio,
  SdkStdio["serveStdio"],
  typeof stdio.serveStdio
>;

/** Returns the host names of this machine. */
export const localhostAllowedHostnames: Value<
  "localhostAllowedHostnames",
  typeof hosts.localhostAllowedHostnames
> = hosts.localhostAllowedHostnames;

/** Returns the host names of pages on this machine. */
export const localhostAllowedOrigins: Value<"localhostAllowedOrigins", typeof hosts.localhostAllowedOrigins> =
  hosts.localhostAllowedOrigins;

/** Returns a 403 response if the Host header is not allowed. */
export const hostHeaderValidationResponse = hosts.hostHeaderValidationResponse as unknown as Value<
  "hostHeaderValidationResponse",
  typeof hosts.hostHeaderValidationResponse
>;

/** Returns a 403 response if the Origin header is not allowed. */
export const originValidationResponse = hosts.originValidationResponse as unknown as Value<
  "originValidationResponse",
  typeof hosts.originValidationResponse
>;

/** Recognizes an `initialize` request. */
export const isInitializeRequest = legacy.isInitializeRequest as unknown as Value<
  "isInitializeRequest",
  typeof legacy.isInitializeRequest
>;

/** @ts-ignore `any` without the official SDK */
type SdkStdioTransport = import("@modelcontextprotocol/server/stdio").StdioServerTransport;
/** Transport over standard input and output, or another pair of streams. */
export type StdioServerTransport = IfInstalled<SdkStdio, SdkStdioTransport, OwnStdioTransport>;

/** Transport over standard input and output, or another pair of streams. */
export const StdioServerTransport = OwnStdioTransport as unknown as IfInstalled<
  SdkStdio,
  SdkStdio["StdioServerTransport"],
  typeof OwnStdioTransport
>;
