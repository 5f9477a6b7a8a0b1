/**
 * @fileoverview Types of the data in server code. They are the official SDK's own types if it is installed, and ours
 * otherwise.
 * @module sdk/v2/official-types
 */
import type * as protocol from "tenon/protocol";
import type { SdkTransport as OwnTransport } from "../adapters/sdk-shapes.js";
import type { IfInstalled } from "../if-installed.js";
import type * as events from "./events.js";
import type * as codec from "./request-state-codec.js";
import type * as handles from "./server/handles.js";
import type * as handler from "./serving/create-mcp-handler.js";
import type * as legacy from "./serving/legacy-request.js";
import type * as product from "./serving/product.js";
import type * as stdio from "./serving/serve-stdio.js";
import type * as own from "./types.js";

// See `drop-in.ts` of version 1 for the form of these comments.
/* oxlint-disable typescript/ban-ts-comment */
/** @ts-ignore `any` without the official SDK */
import type * as sdk from "@modelcontextprotocol/server";
/** @ts-ignore `any` without the official SDK */
import type * as sdkStdio from "@modelcontextprotocol/server/stdio";

/** The official type if the package is installed, or our own. */
type Either<Official, Own> = IfInstalled<typeof sdk, Official, Own>;

/** The caller's authorization. */
export type AuthInfo = Either<sdk.AuthInfo, own.AuthInfo>;

/** Cache hint for clients in the stateless revision. */
export type CacheHint = Either<sdk.CacheHint, own.CacheHint>;

/** Result of a tool. */
export type CallToolResult = Either<sdk.CallToolResult, own.CallToolResult>;

/** Capabilities that a client declares. */
export type ClientCapabilities = Either<sdk.ClientCapabilities, protocol.ClientCapabilities>;

/** Content for the model or the user. */
export type ContentBlock = Either<sdk.ContentBlock, protocol.ContentBlock>;

/** Request for a form. */
export type ElicitRequestFormParams = Either<sdk.ElicitRequestFormParams, own.ElicitParams>;

/** Request to open a page. */
export type ElicitRequestURLParams = Either<sdk.ElicitRequestURLParams, own.ElicitParams>;

/** The user's answer. */
export type ElicitResult = Either<sdk.ElicitResult, own.ElicitResult>;

/** Result of a prompt. */
export type GetPromptResult = Either<sdk.GetPromptResult, protocol.PromptResult>;

/** Icon of a tool, resource, prompt, or server. */
export type Icon = Either<sdk.Icon, protocol.Icon>;

/** Name and version of a client or server. */
export type Implementation = Either<sdk.Implementation, protocol.Implementation>;

/** Request inside an input-required result. */
export type InputRequest = Either<sdk.InputRequest, own.InputRequest>;

/** Result that asks the client for input. */
export type InputRequiredResult = Either<sdk.InputRequiredResult, own.InputRequiredResult>;

/** Responses to requests for input, by key. */
export type InputResponses = Either<sdk.InputResponses, { readonly [key: string]: unknown }>;

/** A JSON-RPC message. */
export type JSONRPCMessage = Either<sdk.JSONRPCMessage, protocol.JsonRpcMessage>;

/** A JSON-RPC request. */
export type JSONRPCRequest = Either<sdk.JSONRPCRequest, protocol.JsonRpcRequest>;

/** Level of a log message. */
export type LoggingLevel = Either<sdk.LoggingLevel, protocol.LogLevel>;

/** JSON Schema of one field of a form. */
export type PrimitiveSchemaDefinition = Either<sdk.PrimitiveSchemaDefinition, protocol.JsonObject>;

/** Prompt as it appears in a list. */
export type Prompt = Either<sdk.Prompt, protocol.McpPromptDefinition>;

/** Content of a resource. */
export type ReadResourceResult = Either<sdk.ReadResourceResult, protocol.ReadResult>;

/** Options of a request to the client. */
export type RequestOptions = Either<sdk.RequestOptions, own.AskOptions>;

/** Resource as it appears in a list. */
export type Resource = Either<sdk.Resource, protocol.McpResourceDefinition>;

/** Content that refers to a resource. */
export type ResourceLink = Either<sdk.ResourceLink, protocol.ResourceLink>;

/** Resource definition, except for its name and URI. */
export type ResourceMetadata = Either<sdk.ResourceMetadata, own.ResourceMetadata>;

/** Scopes that a caller must request first. */
export type ScopeChallenge = Either<sdk.ScopeChallenge, own.ScopeChallenge>;

/** Decides whether a request needs more OAuth scopes. */
export type ScopeChallengeHandler = Either<sdk.ScopeChallengeHandler, own.ScopeChallengeHandler>;

/** Capabilities that a server declares. */
export type ServerCapabilities = Either<sdk.ServerCapabilities, own.ServerCapabilities>;

/** Last argument of every callback. */
export type ServerContext = Either<sdk.ServerContext, own.ServerContext>;

/** Tool as it appears in a list. */
export type Tool = Either<sdk.Tool, protocol.McpToolDefinition>;

/** Hints about a tool's behavior. */
export type ToolAnnotations = Either<sdk.ToolAnnotations, protocol.ToolHints>;

/** A transport. */
export type Transport = Either<sdk.Transport, OwnTransport>;

/** Values of a URI template's variables. */
export type Variables = Either<sdk.Variables, own.Variables>;

/** Lists a template's resources. */
export type ListResourcesCallback = Either<sdk.ListResourcesCallback, own.ListResourcesCallback>;

/** Reads the resource with a URI. */
export type ReadResourceCallback = Either<sdk.ReadResourceCallback, own.ReadResourceCallback>;

/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = Either<
  sdk.ReadResourceTemplateCallback,
  own.ReadResourceTemplateCallback
>;

/** Options of `createMcpHandler`. */
export type CreateMcpHandlerOptions = Either<
  sdk.CreateMcpHandlerOptions & Pick<handler.CreateMcpHandlerOptions, "maxValues">,
  handler.CreateMcpHandlerOptions
>;

/** Data for one request that the application has already read. */
export type McpHandlerRequestOptions = Either<sdk.McpHandlerRequestOptions, handler.McpHandlerRequestOptions>;

/** Serves MCP over HTTP. */
export type McpHttpHandler = Either<sdk.McpHttpHandler, handler.McpHttpHandler>;

/** Data about a connection or request, for the factory. */
export type McpRequestContext = Either<sdk.McpRequestContext, product.McpRequestContext>;

/** Creates a server. */
export type McpServerFactory = Either<sdk.McpServerFactory, product.McpServerFactory>;

/** Handles a request of an earlier revision. */
export type LegacyHttpHandler = Either<sdk.LegacyHttpHandler, legacy.LegacyHttpHandler>;

/** A registered tool. */
export type RegisteredTool = Either<sdk.RegisteredTool, handles.RegisteredTool>;

/** A registered prompt. */
export type RegisteredPrompt = Either<sdk.RegisteredPrompt, handles.RegisteredPrompt>;

/** A registered resource. */
export type RegisteredResource = Either<sdk.RegisteredResource, handles.RegisteredResource>;

/** A registered resource template. */
export type RegisteredResourceTemplate = Either<
  sdk.RegisteredResourceTemplate,
  handles.RegisteredResourceTemplate
>;

/** A change that subscribed clients are notified of. */
export type ServerEvent = Either<sdk.ServerEvent, events.ServerEvent>;

/** Delivers events to listeners. */
export type ServerEventBus = Either<sdk.ServerEventBus, events.ServerEventBus>;

/** Publishes changes to subscribed clients. */
export type ServerNotifier = Either<sdk.ServerNotifier, events.ServerNotifier>;

/** Options of `createRequestStateCodec`. */
export type RequestStateCodecOptions = Either<sdk.RequestStateCodecOptions, codec.RequestStateCodecOptions>;

/** Signs states, and verifies them. */
export type RequestStateCodec<T = unknown> = Either<sdk.RequestStateCodec<T>, codec.RequestStateCodec<T>>;

/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Args extends Schema = undefined> = Either<
  sdk.ToolCallback<Args>,
  own.ToolCallback<Args>
>;

/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends Schema = undefined> = Either<
  sdk.PromptCallback<Args>,
  own.PromptCallback<Args>
>;

type Schema = undefined | own.StandardSchemaWithJSON;

/** Options of `serveStdio`. */
export type ServeStdioOptions = Either<
  sdkStdio.ServeStdioOptions & Pick<stdio.ServeStdioOptions, "maxQueueBytes">,
  stdio.ServeStdioOptions
>;

/** A running stdio server. */
export type StdioServerHandle = Either<sdkStdio.StdioServerHandle, stdio.StdioServerHandle>;
