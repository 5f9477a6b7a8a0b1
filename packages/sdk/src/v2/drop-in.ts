/**
 * @fileoverview Public classes and functions. They have the official SDK's own types if it is installed, so that
 * libraries written for the SDK accept our objects. Otherwise, they have the types of our implementation.
 * @module sdk/v2/drop-in
 */
import type { Extension, Middleware } from "tenon";
import type { IfInstalled } from "../if-installed.js";
import type { FacadeServer } from "../mcp-server/facade-server.js";
import * as completion from "../mcp-server/registrations/completable.js";
import * as templates from "../mcp-server/registrations/resource-template.js";
import type { ScopesOption, ToolTaskOption } from "../mcp-server/requests/types.js";
import * as errors from "./errors.js";
import * as events from "./events.js";
import * as input from "./input/input-required.js";
import * as schemas from "./json-schema.js";
import * as codec from "./request-state-codec.js";
import { McpServer as OwnMcpServer } from "./server/mcp-server.js";
import * as options from "./server/options.js";
import * as servers from "./server/server.js";
import * as handler from "./serving/create-mcp-handler.js";
import * as hosts from "./serving/host-checks.js";
import * as legacy from "./serving/legacy-request.js";
import * as challenges from "./serving/scope-challenge.js";
import * as stdio from "./serving/serve-stdio.js";
import * as transports from "./serving/stdio-transport.js";
import type { CreateMcpHandlerOptions, ServeStdioOptions } from "./official-types.js";
import type * as own from "./types.js";

// See `drop-in.ts` of version 1 for the form of these comments.
/* oxlint-disable typescript/ban-ts-comment */
/** @ts-ignore `any` without the official SDK */
import type * as sdk from "@modelcontextprotocol/server";
/** @ts-ignore `any` without the official SDK */
import type * as sdkStdio from "@modelcontextprotocol/server/stdio";

/** The official type if the package is installed, or our own. */
type Either<Official, Own> = IfInstalled<typeof sdk, Official, Own>;

/** Type of an exported value: the official one if the package is installed, or our own. */
type Value<Name extends keyof OwnValues & keyof typeof sdk> = Either<(typeof sdk)[Name], OwnValues[Name]>;

type OwnValues = typeof challenges &
  typeof codec &
  typeof completion &
  typeof errors &
  typeof events &
  typeof handler &
  typeof hosts &
  typeof input &
  typeof legacy &
  typeof options &
  typeof schemas &
  typeof servers &
  typeof templates;

// The casts below are safe: tests compare both packages.

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

type WithScopes = Required<ScopesOption>;
type Schema = undefined | own.StandardSchemaWithJSON;

/** Options of `McpServer`: the official SDK's and Tenon's. */
export type McpServerOptions = Either<
  sdk.McpServerOptions & Omit<options.McpServerOptions, keyof sdk.McpServerOptions>,
  options.McpServerOptions
>;

type McpServerBase = Either<sdk.McpServer & TenonMembers, OwnMcpServer>;
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
export const McpServer = OwnMcpServer as unknown as Either<
  new (info: sdk.Implementation, options?: McpServerOptions) => McpServer,
  typeof OwnMcpServer
>;

/** Options of `Server`. */
export type ServerOptions = Either<sdk.ServerOptions, options.ServerOptions>;

/** Low-level server: handlers by method name, and messages to the client. */
export type Server = Either<sdk.Server, servers.Server>;
/** Low-level server: handlers by method name, and messages to the client. */
export const Server: Value<"Server"> = servers.Server as never;

/** A URI pattern, and callbacks that list resources and complete variables. */
export type ResourceTemplate = Either<sdk.ResourceTemplate, templates.ResourceTemplate>;
/** A URI pattern, and callbacks that list resources and complete variables. */
export const ResourceTemplate: Value<"ResourceTemplate"> = templates.ResourceTemplate as never;

/** Attaches a completion callback to the schema of a prompt argument. */
export const completable: Value<"completable"> = completion.completable as never;

/** Builds a result that asks the client for input. */
export const inputRequired: Value<"inputRequired"> = input.inputRequired as never;

/** Returns the content of an accepted form, or `undefined`. */
export const acceptedContent: Value<"acceptedContent"> = input.acceptedContent;

/** Reads the client's response to one request for input. */
export const inputResponse: Value<"inputResponse"> = input.inputResponse as never;

/** Recognizes a result that asks the client for input. */
export const isInputRequiredResult: Value<"isInputRequiredResult"> = input.isInputRequiredResult as never;

/** Turns a JSON Schema into a schema for tools and prompts. */
export const fromJsonSchema: Value<"fromJsonSchema"> = schemas.fromJsonSchema;

/** Creates functions that sign and verify states between rounds. */
export const createRequestStateCodec: Value<"createRequestStateCodec"> =
  codec.createRequestStateCodec as never;

/** Creates an HTTP handler with a new server for each request. */
export const createMcpHandler = handler.createMcpHandler as unknown as Either<
  (factory: sdk.McpServerFactory, options?: CreateMcpHandlerOptions) => sdk.McpHttpHandler,
  typeof handler.createMcpHandler
>;

/** Returns true for a request of a legacy revision. */
export const isLegacyRequest: Value<"isLegacyRequest"> = legacy.isLegacyRequest;

/** Creates a handler for requests of earlier revisions. */
export const legacyStatelessFallback = legacy.legacyStatelessFallback as unknown as Either<
  (
    factory: sdk.McpServerFactory,
    onerror?: (error: Error) => void,
    options?: Pick<CreateMcpHandlerOptions, "maxRequestBodySize" | "maxValues">,
  ) => sdk.LegacyHttpHandler,
  typeof legacy.legacyStatelessFallback
>;

/** Creates a handler that requires OAuth scopes. */
export const requireScopes: Value<"requireScopes"> = challenges.requireScopes as never;

/** Event bus for one process. */
export type InMemoryServerEventBus = Either<sdk.InMemoryServerEventBus, events.InMemoryServerEventBus>;
/** Event bus for one process. */
export const InMemoryServerEventBus: Value<"InMemoryServerEventBus"> = events.InMemoryServerEventBus as never;

/** JSON-RPC error codes. */
export type ProtocolErrorCode = Either<sdk.ProtocolErrorCode, errors.ProtocolErrorCode>;
/** JSON-RPC error codes. */
export const ProtocolErrorCode: Value<"ProtocolErrorCode"> = errors.ProtocolErrorCode;

/** Codes of errors that are never sent to the other side. */
export type SdkErrorCode = Either<sdk.SdkErrorCode, errors.SdkErrorCode>;
/** Codes of errors that are never sent to the other side. */
export const SdkErrorCode: Value<"SdkErrorCode"> = errors.SdkErrorCode as never;

/** Error that is sent to the other side, or that was received from it. */
export type ProtocolError = Either<sdk.ProtocolError, errors.ProtocolError>;
/** Error that is sent to the other side, or that was received from it. */
export const ProtocolError: Value<"ProtocolError"> = errors.ProtocolError;

/** Reports that a resource does not exist. */
export type ResourceNotFoundError = Either<sdk.ResourceNotFoundError, errors.ResourceNotFoundError>;
/** Reports that a resource does not exist. */
export const ResourceNotFoundError: Value<"ResourceNotFoundError"> = errors.ResourceNotFoundError;

/** Reports that the user must first open pages. */
export type UrlElicitationRequiredError = Either<
  sdk.UrlElicitationRequiredError,
  errors.UrlElicitationRequiredError
>;
/** Reports that the user must first open pages. */
export const UrlElicitationRequiredError: Value<"UrlElicitationRequiredError"> =
  errors.UrlElicitationRequiredError;

/** Reports a protocol version that is not supported. */
export type UnsupportedProtocolVersionError = Either<
  sdk.UnsupportedProtocolVersionError,
  errors.UnsupportedProtocolVersionError
>;
/** Reports a protocol version that is not supported. */
export const UnsupportedProtocolVersionError: Value<"UnsupportedProtocolVersionError"> =
  errors.UnsupportedProtocolVersionError;

/** Reports capabilities that the client did not declare. */
export type MissingRequiredClientCapabilityError = Either<
  sdk.MissingRequiredClientCapabilityError,
  errors.MissingRequiredClientCapabilityError
>;
/** Reports capabilities that the client did not declare. */
export const MissingRequiredClientCapabilityError: Value<"MissingRequiredClientCapabilityError"> =
  errors.MissingRequiredClientCapabilityError as never;

/** Error on this side of the connection. */
export type SdkError = Either<sdk.SdkError, errors.SdkError>;
/** Error on this side of the connection. */
export const SdkError: Value<"SdkError"> = errors.SdkError as never;

/** Protocol versions that `initialize` negotiates, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS: Value<"SUPPORTED_PROTOCOL_VERSIONS"> =
  options.SUPPORTED_PROTOCOL_VERSIONS as never;

/** Serves one client over stdio, in every protocol revision. */
export const serveStdio = stdio.serveStdio as unknown as Either<
  (factory: sdk.McpServerFactory, options?: ServeStdioOptions) => sdkStdio.StdioServerHandle,
  typeof stdio.serveStdio
>;

/** Returns the host names of this machine. */
export const localhostAllowedHostnames: Value<"localhostAllowedHostnames"> = hosts.localhostAllowedHostnames;

/** Returns the host names of pages on this machine. */
export const localhostAllowedOrigins: Value<"localhostAllowedOrigins"> = hosts.localhostAllowedOrigins;

/** Returns a 403 response if the Host header is not allowed. */
export const hostHeaderValidationResponse: Value<"hostHeaderValidationResponse"> =
  hosts.hostHeaderValidationResponse;

/** Returns a 403 response if the Origin header is not allowed. */
export const originValidationResponse: Value<"originValidationResponse"> = hosts.originValidationResponse;

/** Recognizes an `initialize` request. */
export const isInitializeRequest: Value<"isInitializeRequest"> = legacy.isInitializeRequest as never;

/** Transport over standard input and output, or another pair of streams. */
export type StdioServerTransport = Either<sdkStdio.StdioServerTransport, transports.StdioServerTransport>;
/** Transport over standard input and output, or another pair of streams. */
export const StdioServerTransport = transports.StdioServerTransport as unknown as Either<
  typeof sdkStdio.StdioServerTransport,
  typeof transports.StdioServerTransport
>;
