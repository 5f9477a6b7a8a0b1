/**
 * @fileoverview Public API of `@tenon/agent`: tools that models call in XML, tool and message registries, the
 * WebSocket server for clients, and adapters between agent tools and MCP tools.
 * @module agent
 */
export { type ConnectedTools, connectMcpServer } from "./adapters/connect-mcp-server.js";
export { fromGrouped } from "./adapters/from-grouped.js";
export { fromMcpClient, fromMcpServer } from "./adapters/from-mcp-server.js";
export { toAction } from "./adapters/to-action.js";
export { toMcpTool } from "./adapters/to-mcp-tool.js";
// The names of the builder and the server in the design document are aliases.
export { AgentServerBuilder, AgentServerBuilder as AmigoServerBuilder } from "./builder.js";
export { type ServerConfig, ServerConfigSchema } from "./config.js";
export type { ConversationOptions } from "./conversation/options.js";
export { RejectedError } from "./conversation/tasks/rejected-error.js";
export type {
  AgentHooks,
  HookContext,
  ModelCallInfo,
  ModelResponseInfo,
  ToolCallInfo,
  ToolResultInfo,
} from "./hooks/hooks.js";
export { type McpAgent, toMcpAgent } from "./in-process/agent-as-mcp-tool.js";
export { type AgentToolResult, fromAgent } from "./in-process/agent-as-tool.js";
export type { AgentStream } from "./in-process/agent-stream.js";
export type {
  AgentEvent,
  AgentRunOptions,
  AgentRunResult,
  PendingApproval,
} from "./in-process/run-options.js";
export type { AgentTelemetry } from "./telemetry/agent-telemetry.js";
export { loadAgentTelemetry } from "./telemetry/load-telemetry.js";
export type { ApprovalPolicy } from "./tools/approval-policy.js";
export { toSessionCookie } from "./users/session-cookie.js";
export type { AgentUser, AgentUsers, UserOptions } from "./users/user.js";
export {
  defineMessage,
  type MessageContext,
  type MessageDefinition,
  type MessageSchema,
  parseMessageData,
} from "./messages/define-message.js";
export {
  type AgentToolDescription,
  defineTool,
  type ToolDefinition,
  type ToolInvokeContext,
  type ToolOutcome,
} from "./tools/define-tool.js";
export { RegistrationError, ValidationError } from "./shared/errors.js";
export { MessageRegistry, type WithMessage } from "./messages/message-registry.js";
export { fromAiSdk } from "./models/ai-sdk/from-ai-sdk.js";
export {
  type ContentPart,
  type ModelConversation,
  ModelError,
  type ModelFinish,
  type ModelMessage,
  type ModelPiece,
  type ModelPort,
  type ModelTool,
  type ModelUsage,
  type NativeCall,
} from "./models/model-port.js";
export { createOpenAiModel } from "./models/openai-model.js";
export { type OpenAiOptions, openAiOptionsFromEnv } from "./models/openai-options.js";
export { createScriptedModel, type ModelScript } from "./models/scripted-model.js";
export { parseTool, serializeTool } from "./tools/serialize-tool.js";
export { AgentServer, AgentServer as AmigoServer } from "./server.js";
export type { ServerAddress, StartOptions } from "./socket/options.js";
export type { ParamsOf, ToolParam, ToolParamMeta } from "./tools/tool-param.js";
export { ToolRegistry, type WithTool } from "./tools/tool-registry.js";
export { type ToolRun, ToolService } from "./tool-service.js";
export { printToolCall } from "./xml/print-tool-call.js";
export { type ToolCall, type ToolCallEvent, ToolCallStream } from "./xml/tool-call-stream.js";
