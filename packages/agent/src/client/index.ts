/**
 * @fileoverview Public API of `@tenon/agent/client`: a client of agent servers for browsers and Node.js.
 * @module agent/client
 */
export { createAgentClient } from "./agent-client.js";
export { AgentClientError, type AgentClientErrorCode } from "./errors.js";
export { createTaskId } from "./ids.js";
export type { MessagesOf } from "./messages-of.js";
export type { AgentClientOptions, ReconnectOptions } from "./options.js";
export type { ClientSocket, ClientSocketClass } from "./socket-types.js";
export type {
  AgentClient,
  AgentConnection,
  AgentFile,
  AgentState,
  AgentTaskStatus,
  Approval,
  ApprovalDecision,
  ConnectedUser,
  ConversationType,
  ListOptions,
  ReceivedData,
  RunEnding,
  SendOptions,
  SentMessage,
  ServerMessageData,
  ServerMessageOfTask,
  Subtask,
  TaskMessage,
  TaskPage,
  TaskState,
  TaskSummary,
  TokenUsage,
  UserMessageOfTask,
} from "./types.js";
