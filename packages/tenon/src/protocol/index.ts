/**
 * @fileoverview `tenon/protocol`: JSON-RPC messages, errors, MCP types, and protocol revisions.
 * @module tenon/protocol
 */
export type { JsonObject } from "@tenon/internal/json";
export type { InputAnswer, Root, SamplingRequest, SamplingResult } from "./client-requests.js";
export {
  type Annotations,
  type AudioContent,
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
  type TextContent,
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
  type McpToolDefinition,
  type ToolHints,
} from "./definitions.js";
export {
  BaseErrorCode,
  type ErrorName,
  type ErrorRow,
  ERRORS,
  type HttpErrorLabel,
  isErrorName,
  McpError,
} from "./errors.js";
export {
  describeInvalidMessage,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  messageKind,
  type MessageKind,
  type RequestId,
  type RpcError,
  salvageId,
} from "./json-rpc.js";
export { DEFAULT_LIMITS, type MessageLimits, parseFrame, type ParseOutcome } from "./parse.js";
export type { ClientFeature } from "./revisions/capabilities.js";
export { createEncoder, type ResultEncoder } from "./revisions/encoder.js";
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
  type HeaderReader,
  type HeaderRules,
} from "./revisions/headers.js";
export { projectClientRequest } from "./revisions/project-content.js";
export { projectDescribed, projectTool } from "./revisions/project-definitions.js";
export {
  byRevision,
  type Era,
  isRevisionOf,
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  type Revision,
  REVISIONS,
  type Traits,
  TRAITS,
} from "./revisions/revision.js";
export { type DetailedTask, TASKS_EXTENSION, type TaskStatus } from "./tasks.js";
export { METHODS } from "./revisions/methods.js";
