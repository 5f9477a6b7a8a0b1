/**
 * @fileoverview `tenon`: define a server, and answer messages with it. No transport, no I/O, no runtime's own API.
 * @module tenon
 */
export type { MaybePromise } from "./internal/maybe-promise.js";
export type { Ports } from "./internal/ports.js";
export { ServerBuilder, type NoTools, type ToolTypes } from "./core/builder.js";
export type { Call, ClientView } from "./core/call.js";
export type { ClientRequest } from "./core/caller.js";
export type { Change, ChangeListener } from "./core/changes.js";
export type { Completer, Completers } from "./core/completion.js";
export { Connection, type ConnectionOptions, type Question } from "./core/connection.js";
export { defineServer, Server } from "./core/define-server.js";
export {
  type DefinitionSource,
  parseResources,
  parseTools,
  type Resource,
  Tool,
} from "./core/definitions.js";
export type { Auth, Exchange } from "./core/exchange.js";
export { type Extension, extension, type ExtensionMethod } from "./core/extension.js";
export { form, type FormRequest, url, type UrlRequest } from "./core/forms.js";
export {
  type DefinitionValidation,
  FnToolHandler,
  type ResourceHandler,
  type ToolHandler,
} from "./core/handlers.js";
export type { LogEntry, LogSink } from "./core/log.js";
export type { Middleware, Operation, OperationResult } from "./core/middleware.js";
export type { ServerOptions } from "./core/options.js";
export type { DefinitionOptions, PlanEditor } from "./core/plan.js";
export type { PromptArgs, PromptArguments, PromptReturn, PromptSpec } from "./core/prompt.js";
export { receive, type Reply, replyText } from "./core/receive.js";
export type {
  ResourceReturn,
  ResourceSpec,
  ResourceTemplateSpec,
  TemplateVariables,
} from "./core/resource.js";
export {
  type McpResponse,
  newErrorResponse,
  type ResponseKind,
  type ResponseParts,
} from "./core/response.js";
export type { ServerLike, ToolMap } from "./core/server.js";
export type { ServerDescription, ToolDescription } from "./core/server-description.js";
export type { StateOptions } from "./core/state.js";
export type { TagFilter } from "./core/tag-filter.js";
export { errorResult, textResult } from "./core/tool-result.js";
export type {
  Exposition,
  OutlinedAction,
  ToolArgs,
  ToolInput,
  ToolOutline,
  ToolReturn,
  ToolSource,
  ToolSpec,
  ValidationErrors,
} from "./core/tool.js";
export type {
  ClientFeature,
  ContentBlock,
  ErrorName,
  InputAnswer,
  JsonRpcRequest,
  JsonRpcResponse,
  LogLevel,
  PromptMessage,
  PromptResult,
  ReadResult,
  ResourceContent,
  Revision,
  Root,
  RpcError,
  SamplingRequest,
  SamplingResult,
  ToolHints,
  ToolResult,
} from "./protocol/index.js";
export { BaseErrorCode, McpError, PROTOCOL_VERSION } from "./protocol/index.js";
export type { InputOf, JsonSchemaCompiler, OutputOf, Schema, StandardSchema } from "./schema/schema.js";
