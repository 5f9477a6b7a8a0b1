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
/* oxlint-disable typescript/ban-ts-comment, typescript/consistent-type-imports */

/** @ts-ignore `any` without the official SDK */
type Sdk = typeof import("@modelcontextprotocol/server");
/** @ts-ignore `any` without the official SDK */
type SdkStdio = typeof import("@modelcontextprotocol/server/stdio");

/** @ts-ignore `any` without the official SDK */
type SdkAuthInfo = import("@modelcontextprotocol/server").AuthInfo;
/** The caller's authorization. */
export type AuthInfo = IfInstalled<Sdk, SdkAuthInfo, own.AuthInfo>;

/** @ts-ignore `any` without the official SDK */
type SdkCacheHint = import("@modelcontextprotocol/server").CacheHint;
/** Cache hint for clients in the stateless revision. */
export type CacheHint = IfInstalled<Sdk, SdkCacheHint, own.CacheHint>;

/** @ts-ignore `any` without the official SDK */
type SdkCallToolResult = import("@modelcontextprotocol/server").CallToolResult;
/** Result of a tool. */
export type CallToolResult = IfInstalled<Sdk, SdkCallToolResult, own.CallToolResult>;

/** @ts-ignore `any` without the official SDK */
type SdkClientCapabilities = import("@modelcontextprotocol/server").ClientCapabilities;
/** Capabilities that a client declares. */
export type ClientCapabilities = IfInstalled<Sdk, SdkClientCapabilities, protocol.ClientCapabilities>;

/** @ts-ignore `any` without the official SDK */
type SdkContentBlock = import("@modelcontextprotocol/server").ContentBlock;
/** Content for the model or the user. */
export type ContentBlock = IfInstalled<Sdk, SdkContentBlock, protocol.ContentBlock>;

/** @ts-ignore `any` without the official SDK */
type SdkElicitRequestFormParams = import("@modelcontextprotocol/server").ElicitRequestFormParams;
/** Request for a form. */
export type ElicitRequestFormParams = IfInstalled<Sdk, SdkElicitRequestFormParams, own.ElicitParams>;

/** @ts-ignore `any` without the official SDK */
type SdkElicitRequestURLParams = import("@modelcontextprotocol/server").ElicitRequestURLParams;
/** Request to open a page. */
export type ElicitRequestURLParams = IfInstalled<Sdk, SdkElicitRequestURLParams, own.ElicitParams>;

/** @ts-ignore `any` without the official SDK */
type SdkElicitResult = import("@modelcontextprotocol/server").ElicitResult;
/** The user's answer. */
export type ElicitResult = IfInstalled<Sdk, SdkElicitResult, own.ElicitResult>;

/** @ts-ignore `any` without the official SDK */
type SdkGetPromptResult = import("@modelcontextprotocol/server").GetPromptResult;
/** Result of a prompt. */
export type GetPromptResult = IfInstalled<Sdk, SdkGetPromptResult, protocol.PromptResult>;

/** @ts-ignore `any` without the official SDK */
type SdkIcon = import("@modelcontextprotocol/server").Icon;
/** Icon of a tool, resource, prompt, or server. */
export type Icon = IfInstalled<Sdk, SdkIcon, protocol.Icon>;

/** @ts-ignore `any` without the official SDK */
type SdkImplementation = import("@modelcontextprotocol/server").Implementation;
/** Name and version of a client or server. */
export type Implementation = IfInstalled<Sdk, SdkImplementation, protocol.Implementation>;

/** @ts-ignore `any` without the official SDK */
type SdkInputRequest = import("@modelcontextprotocol/server").InputRequest;
/** Request inside an input-required result. */
export type InputRequest = IfInstalled<Sdk, SdkInputRequest, own.InputRequest>;

/** @ts-ignore `any` without the official SDK */
type SdkInputRequiredResult = import("@modelcontextprotocol/server").InputRequiredResult;
/** Result that asks the client for input. */
export type InputRequiredResult = IfInstalled<Sdk, SdkInputRequiredResult, own.InputRequiredResult>;

/** @ts-ignore `any` without the official SDK */
type SdkInputResponses = import("@modelcontextprotocol/server").InputResponses;
/** Responses to requests for input, by key. */
export type InputResponses = IfInstalled<Sdk, SdkInputResponses, { readonly [key: string]: unknown }>;

/** @ts-ignore `any` without the official SDK */
type SdkJSONRPCMessage = import("@modelcontextprotocol/server").JSONRPCMessage;
/** A JSON-RPC message. */
export type JSONRPCMessage = IfInstalled<Sdk, SdkJSONRPCMessage, protocol.JsonRpcMessage>;

/** @ts-ignore `any` without the official SDK */
type SdkJSONRPCRequest = import("@modelcontextprotocol/server").JSONRPCRequest;
/** A JSON-RPC request. */
export type JSONRPCRequest = IfInstalled<Sdk, SdkJSONRPCRequest, protocol.JsonRpcRequest>;

/** @ts-ignore `any` without the official SDK */
type SdkLoggingLevel = import("@modelcontextprotocol/server").LoggingLevel;
/** Level of a log message. */
export type LoggingLevel = IfInstalled<Sdk, SdkLoggingLevel, protocol.LogLevel>;

/** @ts-ignore `any` without the official SDK */
type SdkPrimitiveSchemaDefinition = import("@modelcontextprotocol/server").PrimitiveSchemaDefinition;
/** JSON Schema of one field of a form. */
export type PrimitiveSchemaDefinition = IfInstalled<Sdk, SdkPrimitiveSchemaDefinition, protocol.JsonObject>;

/** @ts-ignore `any` without the official SDK */
type SdkPrompt = import("@modelcontextprotocol/server").Prompt;
/** Prompt as it appears in a list. */
export type Prompt = IfInstalled<Sdk, SdkPrompt, protocol.McpPromptDefinition>;

/** @ts-ignore `any` without the official SDK */
type SdkReadResourceResult = import("@modelcontextprotocol/server").ReadResourceResult;
/** Content of a resource. */
export type ReadResourceResult = IfInstalled<Sdk, SdkReadResourceResult, protocol.ReadResult>;

/** @ts-ignore `any` without the official SDK */
type SdkRequestOptions = import("@modelcontextprotocol/server").RequestOptions;
/** Options of a request to the client. */
export type RequestOptions = IfInstalled<Sdk, SdkRequestOptions, own.AskOptions>;

/** @ts-ignore `any` without the official SDK */
type SdkResource = import("@modelcontextprotocol/server").Resource;
/** Resource as it appears in a list. */
export type Resource = IfInstalled<Sdk, SdkResource, protocol.McpResourceDefinition>;

/** @ts-ignore `any` without the official SDK */
type SdkResourceLink = import("@modelcontextprotocol/server").ResourceLink;
/** Content that refers to a resource. */
export type ResourceLink = IfInstalled<Sdk, SdkResourceLink, protocol.ResourceLink>;

/** @ts-ignore `any` without the official SDK */
type SdkResourceMetadata = import("@modelcontextprotocol/server").ResourceMetadata;
/** Resource definition, except for its name and URI. */
export type ResourceMetadata = IfInstalled<Sdk, SdkResourceMetadata, own.ResourceMetadata>;

/** @ts-ignore `any` without the official SDK */
type SdkScopeChallenge = import("@modelcontextprotocol/server").ScopeChallenge;
/** Scopes that a caller must request first. */
export type ScopeChallenge = IfInstalled<Sdk, SdkScopeChallenge, own.ScopeChallenge>;

/** @ts-ignore `any` without the official SDK */
type SdkScopeChallengeHandler = import("@modelcontextprotocol/server").ScopeChallengeHandler;
/** Decides whether a request needs more OAuth scopes. */
export type ScopeChallengeHandler = IfInstalled<Sdk, SdkScopeChallengeHandler, own.ScopeChallengeHandler>;

/** @ts-ignore `any` without the official SDK */
type SdkServerCapabilities = import("@modelcontextprotocol/server").ServerCapabilities;
/** Capabilities that a server declares. */
export type ServerCapabilities = IfInstalled<Sdk, SdkServerCapabilities, own.ServerCapabilities>;

/** @ts-ignore `any` without the official SDK */
type SdkServerContext = import("@modelcontextprotocol/server").ServerContext;
/** Last argument of every callback. */
export type ServerContext = IfInstalled<Sdk, SdkServerContext, own.ServerContext>;

/** @ts-ignore `any` without the official SDK */
type SdkTool = import("@modelcontextprotocol/server").Tool;
/** Tool as it appears in a list. */
export type Tool = IfInstalled<Sdk, SdkTool, protocol.McpToolDefinition>;

/** @ts-ignore `any` without the official SDK */
type SdkToolAnnotations = import("@modelcontextprotocol/server").ToolAnnotations;
/** Hints about a tool's behavior. */
export type ToolAnnotations = IfInstalled<Sdk, SdkToolAnnotations, protocol.ToolHints>;

/** @ts-ignore `any` without the official SDK */
type SdkTransport = import("@modelcontextprotocol/server").Transport;
/** A transport. */
export type Transport = IfInstalled<Sdk, SdkTransport, OwnTransport>;

/** @ts-ignore `any` without the official SDK */
type SdkVariables = import("@modelcontextprotocol/server").Variables;
/** Values of a URI template's variables. */
export type Variables = IfInstalled<Sdk, SdkVariables, own.Variables>;

/** @ts-ignore `any` without the official SDK */
type SdkListResourcesCallback = import("@modelcontextprotocol/server").ListResourcesCallback;
/** Lists a template's resources. */
export type ListResourcesCallback = IfInstalled<Sdk, SdkListResourcesCallback, own.ListResourcesCallback>;

/** @ts-ignore `any` without the official SDK */
type SdkReadResourceCallback = import("@modelcontextprotocol/server").ReadResourceCallback;
/** Reads the resource with a URI. */
export type ReadResourceCallback = IfInstalled<Sdk, SdkReadResourceCallback, own.ReadResourceCallback>;

/** @ts-ignore `any` without the official SDK */
type SdkReadResourceTemplateCallback = import("@modelcontextprotocol/server").ReadResourceTemplateCallback;
/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = IfInstalled<
  Sdk,
  SdkReadResourceTemplateCallback,
  own.ReadResourceTemplateCallback
>;

/** @ts-ignore `any` without the official SDK */
type SdkCreateMcpHandlerOptions = import("@modelcontextprotocol/server").CreateMcpHandlerOptions;
/** Options of `createMcpHandler`. */
export type CreateMcpHandlerOptions = IfInstalled<
  Sdk,
  SdkCreateMcpHandlerOptions,
  handler.CreateMcpHandlerOptions
>;

/** @ts-ignore `any` without the official SDK */
type SdkMcpHandlerRequestOptions = import("@modelcontextprotocol/server").McpHandlerRequestOptions;
/** Data for one request that the application has already read. */
export type McpHandlerRequestOptions = IfInstalled<
  Sdk,
  SdkMcpHandlerRequestOptions,
  handler.McpHandlerRequestOptions
>;

/** @ts-ignore `any` without the official SDK */
type SdkMcpHttpHandler = import("@modelcontextprotocol/server").McpHttpHandler;
/** Serves MCP over HTTP. */
export type McpHttpHandler = IfInstalled<Sdk, SdkMcpHttpHandler, handler.McpHttpHandler>;

/** @ts-ignore `any` without the official SDK */
type SdkMcpRequestContext = import("@modelcontextprotocol/server").McpRequestContext;
/** Data about a connection or request, for the factory. */
export type McpRequestContext = IfInstalled<Sdk, SdkMcpRequestContext, product.McpRequestContext>;

/** @ts-ignore `any` without the official SDK */
type SdkMcpServerFactory = import("@modelcontextprotocol/server").McpServerFactory;
/** Creates a server. */
export type McpServerFactory = IfInstalled<Sdk, SdkMcpServerFactory, product.McpServerFactory>;

/** @ts-ignore `any` without the official SDK */
type SdkLegacyHttpHandler = import("@modelcontextprotocol/server").LegacyHttpHandler;
/** Handles a request of an earlier revision. */
export type LegacyHttpHandler = IfInstalled<Sdk, SdkLegacyHttpHandler, legacy.LegacyHttpHandler>;

/** @ts-ignore `any` without the official SDK */
type SdkRegisteredTool = import("@modelcontextprotocol/server").RegisteredTool;
/** A registered tool. */
export type RegisteredTool = IfInstalled<Sdk, SdkRegisteredTool, handles.RegisteredTool>;

/** @ts-ignore `any` without the official SDK */
type SdkRegisteredPrompt = import("@modelcontextprotocol/server").RegisteredPrompt;
/** A registered prompt. */
export type RegisteredPrompt = IfInstalled<Sdk, SdkRegisteredPrompt, handles.RegisteredPrompt>;

/** @ts-ignore `any` without the official SDK */
type SdkRegisteredResource = import("@modelcontextprotocol/server").RegisteredResource;
/** A registered resource. */
export type RegisteredResource = IfInstalled<Sdk, SdkRegisteredResource, handles.RegisteredResource>;

/** @ts-ignore `any` without the official SDK */
type SdkRegisteredResourceTemplate = import("@modelcontextprotocol/server").RegisteredResourceTemplate;
/** A registered resource template. */
export type RegisteredResourceTemplate = IfInstalled<
  Sdk,
  SdkRegisteredResourceTemplate,
  handles.RegisteredResourceTemplate
>;

/** @ts-ignore `any` without the official SDK */
type SdkServerEvent = import("@modelcontextprotocol/server").ServerEvent;
/** A change that subscribed clients are notified of. */
export type ServerEvent = IfInstalled<Sdk, SdkServerEvent, events.ServerEvent>;

/** @ts-ignore `any` without the official SDK */
type SdkServerEventBus = import("@modelcontextprotocol/server").ServerEventBus;
/** Delivers events to listeners. */
export type ServerEventBus = IfInstalled<Sdk, SdkServerEventBus, events.ServerEventBus>;

/** @ts-ignore `any` without the official SDK */
type SdkServerNotifier = import("@modelcontextprotocol/server").ServerNotifier;
/** Publishes changes to subscribed clients. */
export type ServerNotifier = IfInstalled<Sdk, SdkServerNotifier, events.ServerNotifier>;

/** @ts-ignore `any` without the official SDK */
type SdkRequestStateCodecOptions = import("@modelcontextprotocol/server").RequestStateCodecOptions;
/** Options of `createRequestStateCodec`. */
export type RequestStateCodecOptions = IfInstalled<
  Sdk,
  SdkRequestStateCodecOptions,
  codec.RequestStateCodecOptions
>;

/** @ts-ignore `any` without the official SDK */
type SdkStateCodec<T> = import("@modelcontextprotocol/server").RequestStateCodec<T>;
/** Signs states, and verifies them. */
export type RequestStateCodec<T = unknown> = IfInstalled<Sdk, SdkStateCodec<T>, codec.RequestStateCodec<T>>;

/** @ts-ignore `any` without the official SDK */
type SdkToolCallback<Args extends Schema> = import("@modelcontextprotocol/server").ToolCallback<Args>;
/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Args extends Schema = undefined> = IfInstalled<
  Sdk,
  SdkToolCallback<Args>,
  own.ToolCallback<Args>
>;

/** @ts-ignore `any` without the official SDK */
type SdkPromptCallback<Args extends Schema> = import("@modelcontextprotocol/server").PromptCallback<Args>;
/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends Schema = undefined> = IfInstalled<
  Sdk,
  SdkPromptCallback<Args>,
  own.PromptCallback<Args>
>;

type Schema = undefined | own.StandardSchemaWithJSON;

/** @ts-ignore `any` without the official SDK */
type SdkStdioOptions = import("@modelcontextprotocol/server/stdio").ServeStdioOptions;
/** Options of `serveStdio`. */
export type ServeStdioOptions = IfInstalled<SdkStdio, SdkStdioOptions, stdio.ServeStdioOptions>;

/** @ts-ignore `any` without the official SDK */
type SdkStdioHandle = import("@modelcontextprotocol/server/stdio").StdioServerHandle;
/** A running stdio server. */
export type StdioServerHandle = IfInstalled<SdkStdio, SdkStdioHandle, stdio.StdioServerHandle>;
