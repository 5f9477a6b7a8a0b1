/**
 * @fileoverview Public API of `@tenon/agent/client`: a client of agent servers for browsers and Node.js.
 * @module agent/client
 */
export { createAgentClient } from "./agent-client.js";
export { AgentClientError } from "./errors.js";
export { createTaskId } from "./ids.js";
export type { MessagesOf } from "./messages-of.js";
export type { AgentClientOptions } from "./options.js";
export type {
  AgentClient,
  AgentConnection,
  AgentFile,
  AgentState,
  AgentTaskStatus,
  Approval,
  ApprovalDecision,
  RunEnding,
  SentMessage,
  ServerMessageData,
  TaskMessage,
  TaskPage,
  TaskState,
  TaskSummary,
  TokenUsage,
  UserMessageOfTask,
} from "./types.js";
