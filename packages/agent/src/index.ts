/**
 * @fileoverview Public API of `@tenon/agent`: tools that models call in XML, tool and message registries, the
 * WebSocket server for clients, and adapters between agent tools and MCP tools.
 * @module agent
 */
export type { AgentToolOptions, McpToolLike } from "./adapters/agent-tool.js";
export {
  type ConnectedTools,
  connectMcpServer,
  type ConnectMcpOptions,
  type McpProgramOptions,
  type McpUrlOptions,
} from "./adapters/connect-mcp-server.js";
export { fromGrouped, type FromGroupedOptions } from "./adapters/from-grouped.js";
export {
  fromMcpClient,
  type FromMcpOptions,
  fromMcpServer,
  type McpClientLike,
} from "./adapters/from-mcp-server.js";
export { toAction, type ToActionOptions } from "./adapters/to-action.js";
export { toMcpTool, type ToMcpOptions, toMcpTools } from "./adapters/to-mcp-tool.js";
export { AmigoServerBuilder } from "./builder.js";
export {
  SERVER_MESSAGES,
  type ServerMessage,
  USER_MESSAGES,
  type UserMessage,
} from "./messages/built-in-messages.js";
export { type ServerConfig, ServerConfigSchema } from "./config.js";
export type { ConversationOptions, TokenBudgets } from "./conversation/options.js";
export { RejectedError } from "./conversation/tasks/rejected-error.js";
export type { Ending } from "./conversation/tasks/run-task.js";
export type {
  AgentHooks,
  Block,
  HookContext,
  ModelCallInfo,
  ModelResponseInfo,
  ToolCallInfo,
  ToolResultInfo,
} from "./hooks/hooks.js";
export { type McpAgent, toMcpAgent, type ToMcpAgentOptions } from "./in-process/agent-as-mcp-tool.js";
export {
  type AgentToolResult,
  fromAgent,
  type FromAgentOptions,
  type RunnableAgent,
} from "./in-process/agent-as-tool.js";
export type { AgentStream } from "./in-process/agent-stream.js";
export type {
  AgentEvent,
  AgentInput,
  AgentRunOptions,
  AgentRunResult,
  Decision,
  PendingApproval,
} from "./in-process/run-options.js";
export type {
  AgentTelemetry,
  Failure,
  ModelFacts,
  ModelOutcome,
  ModelSpan,
  RunFacts,
  RunOutcome,
  RunSpan,
  ToolFacts,
  ToolSpan,
} from "./telemetry/agent-telemetry.js";
export { type AgentTelemetryOptions, loadAgentTelemetry } from "./telemetry/load-telemetry.js";
export type { ApprovalPolicy, ApprovalRequest, ApprovalRule } from "./tools/approval-policy.js";
export { type SessionCookieOptions, toSessionCookie } from "./users/session-cookie.js";
export type {
  AccessRule,
  AccessTask,
  AgentUser,
  AgentUsers,
  AuthorizedUsers,
  ConnectionRequest,
  CustomUsers,
  IdentifiedUser,
  TaskAccess,
  UserOptions,
} from "./users/user.js";
export {
  defineMessage,
  type MessageContext,
  type MessageDefinition,
  type MessageInput,
  type MessageReply,
  type MessageSchema,
  parseMessageData,
} from "./messages/define-message.js";
export {
  defineTool,
  type ToolDefinition,
  type AgentToolDescription,
  type AgentToolSpec,
  type SchemaToolSpec,
  type ToolInvokeContext,
  type ToolOutcome,
} from "./tools/define-tool.js";
export { RegistrationError, ValidationError } from "./shared/errors.js";
export { type FoundMessage, MessageRegistry, type WithMessage } from "./messages/message-registry.js";
export type {
  AiSdkCallOptions,
  AiSdkModel,
  AiSdkReader,
  AiSdkVersion,
} from "./models/ai-sdk/ai-sdk-model.js";
export { isAiSdkModel } from "./models/ai-sdk/ai-sdk-model.js";
export { fromAiSdk, type FromAiSdkOptions } from "./models/ai-sdk/from-ai-sdk.js";
export { toModelPort } from "./models/ai-sdk/to-model-port.js";
export {
  type ContentPart,
  type FinishReason,
  type ModelConversation,
  ModelError,
  type ModelErrorKind,
  type ModelErrorOptions,
  type ModelFinish,
  type ModelMessage,
  type ModelPiece,
  type ModelPort,
  type ModelTool,
  type ModelUsage,
  type NativeCall,
} from "./models/model-port.js";
export { createOpenAiModel } from "./models/openai-model.js";
export {
  type ModelEnv,
  type ModelFetch,
  type OpenAiOptions,
  openAiOptionsFromEnv,
} from "./models/openai-options.js";
export {
  createScriptedModel,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedModelOptions,
} from "./models/scripted-model.js";
export { parseTool, serializeTool } from "./tools/serialize-tool.js";
export { AmigoServer, type AmigoServerParts } from "./server.js";
export type { ServerAddress, StartOptions } from "./socket/options.js";
export type { ParamsOf, ParamValue, ToolParam, ToolParamMeta, ToolParamType } from "./tools/tool-param.js";
export { type FoundTool, type ToolLookup, ToolRegistry, type WithTool } from "./tools/tool-registry.js";
export { parseToolParams, toParamsSchema } from "./tools/tool-schema.js";
export { type ToolRequest, type ToolRun, ToolService, type XmlToolRequest } from "./tool-service.js";
export type { ParamPath } from "./xml/call-reader.js";
export { printToolCall } from "./xml/print-tool-call.js";
export {
  type ToolCall,
  type ToolCallEvent,
  ToolCallStream,
  type ToolCallStreamOptions,
} from "./xml/tool-call-stream.js";
