/**
 * @fileoverview `@tenon/sdk/v2`: drop-in replacements for the server side of the official SDK, version 2. They replace
 * the names of `@modelcontextprotocol/server` and `@modelcontextprotocol/server/stdio`.
 * @module sdk/v2
 */
export type { DropInServer } from "../server/drop-in-server.js";
export { createMcpHandler, legacyStatelessFallback, McpServer, serveStdio } from "./drop-in.js";
export {
  acceptedContent,
  StdioServerTransport,
  hostHeaderValidationResponse,
  isInitializeRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  InMemoryServerEventBus,
  inputRequired,
  inputResponse,
  isInputRequiredResult,
  isLegacyRequest,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  requireScopes,
  ResourceNotFoundError,
  ResourceTemplate,
  SdkError,
  SdkErrorCode,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from "./official-types.js";
export { withInputRequired, type InputResponseView } from "./input/input-required.js";
export type { JsonSchemaValidator } from "./server/schemas.js";
export type {
  AuthInfo,
  CacheHint,
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  GetPromptResult,
  Icon,
  Implementation,
  InputRequest,
  InputRequiredResult,
  InputResponses,
  JSONRPCMessage,
  JSONRPCRequest,
  LoggingLevel,
  PrimitiveSchemaDefinition,
  Prompt,
  ReadResourceResult,
  RequestOptions,
  Resource,
  ResourceLink,
  ResourceMetadata,
  ScopeChallenge,
  ScopeChallengeHandler,
  ServerCapabilities,
  ServerContext,
  Tool,
  ToolAnnotations,
  Transport,
  Variables,
  ListResourcesCallback,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  CreateMcpHandlerOptions,
  McpHandlerRequestOptions,
  McpHttpHandler,
  McpRequestContext,
  McpServerFactory,
  LegacyHttpHandler,
  RegisteredTool,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  ServerEvent,
  ServerEventBus,
  ServerNotifier,
  RequestStateCodecOptions,
  RequestStateCodec,
  ToolCallback,
  PromptCallback,
  ServeStdioOptions,
  StdioServerHandle,
  McpServerOptions,
  ServerOptions,
} from "./official-types.js";
export type { StandardSchema, StandardSchemaWithJSON } from "./types.js";
// The types without the official SDK. Declaration files of applications refer to them.
export type { RegisteredPrompt as OwnPrompt, RegisteredTool as OwnTool } from "./types.js";
export type {
  RegisteredResource as DropInResource,
  RegisteredResourceTemplate as DropInResourceTemplate,
} from "../server/registrations/resources.js";
export type { McpServer as OwnMcpServer } from "./server/mcp-server.js";
export type { Server as OwnServer } from "./server/server.js";
export type { McpHttpHandler as OwnHttpHandler } from "./serving/create-mcp-handler.js";
export type { StdioServerHandle as OwnStdioHandle } from "./serving/serve-stdio.js";
