/**
 * @fileoverview `tenon`: defines servers and handles messages, without transports, I/O, or runtime-specific APIs.
 * @module tenon
 */
export type { MaybePromise } from "@tenon/internal/maybe-promise";
export type { Ports } from "@tenon/internal/ports";
export type { Call } from "./core/call/call.js";
export type { Change, ChangeListener } from "./core/wire/changes.js";
export type { Completer } from "./core/definitions/completion.js";
export { defineServer } from "./core/define-server.js";
export { Server, ServerBuilder } from "./core/server.js";
export type { AddedTool, NoTools, ToolTypes, WithTools } from "./core/tool-types.js";
export { parseResources, parseTools, type Resource, Tool } from "./core/definitions/json-definitions.js";
export type { Auth, Exchange } from "./core/wire/exchange.js";
export { type Extension, extension, type ExtensionOptions } from "./core/definitions/extension.js";
export { form, type FormRequest, url, type UrlRequest } from "./core/call/forms.js";
export {
  FnToolHandler,
  type HandleToolOptions,
  type NotAFunction,
  type ResourceFunction,
  type ResourceHandler,
  type ToolFunction,
  type ToolHandler,
} from "./core/definitions/handlers.js";
export type { LogEntry, LogSink } from "./core/wire/log.js";
export type { Middleware, Operation, OperationResult } from "./core/call/middleware.js";
export type { ServerOptions } from "./core/definitions/options.js";
export type { PlanEditor } from "./core/definitions/plan.js";
export type { PromptArgs, PromptReturn, PromptSpec } from "./core/definitions/prompt.js";
export type {
  ResourceReturn,
  ResourceSpec,
  ResourceTemplateSpec,
  TemplateVariables,
} from "./core/definitions/resource.js";
export {
  type McpResponse,
  newErrorResponse,
  type ResponseKind,
  type ResponseParts,
} from "./core/wire/response.js";
export type { ServerLike, ToolMap } from "./core/wire/hosted-server.js";
export type { ServerDescription, ToolDescription } from "./core/snapshot/server-description.js";
export type { TagFilter } from "./core/snapshot/tag-filter.js";
export { errorResult, textResult } from "./core/definitions/results/tool-result.js";
export { audio, embedded, image, resourceLink } from "./core/definitions/results/media.js";
export type { Exposition, ToolArgs, ToolReturn, ToolSource, ToolSpec } from "./core/definitions/tool.js";
export type { TaskMode, ToolTaskOptions } from "./core/definitions/tool-task.js";
export type {
  ContentBlock,
  JsonRpcRequest,
  JsonRpcResponse,
  ResourceContent,
  RpcError,
  ToolResult,
} from "./protocol/index.js";
export { McpError } from "./protocol/index.js";
export { PROTOCOL_VERSION } from "./protocol/revisions/revision.js";
export { RequestError } from "./protocol/errors.js";
export type { InputOf, OutputOf, Schema, StandardSchema } from "./schema/schema.js";
export type { Logger } from "./core/wire/log.js";
