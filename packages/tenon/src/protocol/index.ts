/**
 * @fileoverview `tenon/protocol`: JSON-RPC messages, errors, MCP types, and protocol revisions.
 * @module protocol
 */
export type { JsonObject } from "@tenon/internal/json";
export type {
  InputAnswer,
  Root,
  SamplingContent,
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
  ToolResultContent,
  ToolUseContent,
} from "./client-requests.js";
export {
  type Annotations,
  type AudioContent,
  type BlobResourceContent,
  type Completion,
  type ContentBlock,
  type EmbeddedResource,
  type Icon,
  type ImageContent,
  type PromptMessage,
  type PromptResult,
  type ReadResult,
  type ResourceContent,
  type ResourceLink,
  Role,
  type TextContent,
  type TextResourceContent,
  type ToolResult,
} from "./content.js";
export {
  type ClientCapabilities,
  type Implementation,
  isLogLevel,
  LOG_LEVELS,
  type LogLevel,
  type McpPromptArgumentDefinition,
  type McpPromptDefinition,
  type McpResourceDefinition,
  type McpResourceTemplateDefinition,
  RETURN_DIRECT_META,
  type McpToolDefinition,
  type ToolHints,
} from "./definitions.js";
export {
  BaseErrorCode,
  type ErrorName,
  type ErrorRow,
  ERRORS,
  errorRow,
  type HttpErrorLabel,
  isErrorName,
  McpError,
  RequestError,
} from "./errors.js";
export {
  describeInvalidMessage,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type MessageKind,
  messageKind,
  type RequestId,
  type RpcError,
  salvageId,
} from "./json-rpc.js";
export { DEFAULT_LIMITS, type MessageLimits, parseFrame, type ParseOutcome } from "./parse.js";
export type { ClientFeature } from "./revisions/capabilities.js";
export { type CacheHint, createEncoder, type ListPage, type ResultEncoder } from "./revisions/encoder.js";
export {
  classifyEra,
  type Envelope,
  type EraOutcome,
  META,
  readEnvelope,
  type Refusal,
} from "./revisions/envelope.js";
export {
  checkParamHeaders,
  checkStandardHeaders,
  checkVersionHeader,
  compileHeaderRules,
  decodeHeaderValue,
  type HeaderReader,
  type HeaderRule,
  type HeaderRules,
} from "./revisions/headers.js";
export { type MethodName, METHODS } from "./revisions/methods.js";
export { projectClientRequest } from "./revisions/project-content.js";
export { projectDescribed, projectTool } from "./revisions/project-definitions.js";
export {
  byRevision,
  type Era,
  isRevisionOf,
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  PROTOCOL_VERSION,
  type Revision,
  REVISIONS,
  type Traits,
  TRAITS,
} from "./revisions/revision.js";
export { type DetailedTask, type TaskInputRequest, TASKS_EXTENSION, type TaskStatus } from "./tasks.js";
