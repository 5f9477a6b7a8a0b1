/**
 * @fileoverview Types of the agent client: its options, its state, and its methods.
 * @module agent/client/types
 */
import type { ServerMessage, UserMessage } from "../messages/built-in-messages.js";

/** Data of the built-in messages that the server sends, by type. */
export type ServerMessageData = { readonly [Message in ServerMessage as Message["type"]]: Message["data"] };

/** State of the connection. `closed` is also the state before `connect` is called. */
export type AgentConnection = "connecting" | "open" | "reconnecting" | "closed" | "unauthorized";

/** User that the server has identified. */
export interface ConnectedUser {
  /** Missing if the server does not identify users. */
  readonly id?: string | undefined;
  /** False if the user can only watch. */
  readonly canWrite: boolean;
}

/** Entry in a list of tasks. `updatedAt` is in ISO 8601, and `excerpt` is the part of a message that matches a search. */
export type TaskSummary = Readonly<ServerMessageData["taskList"]["tasks"][number]>;

/** Page of a list of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[];
  /** `cursor` for the next page. Missing on the last page. */
  readonly nextCursor?: string | undefined;
}

/** Token counts. The server omits counts that the model does not report. */
export type TokenUsage = ServerMessageData["usage"]["task"];

/** Status of a task. A task runs while its status is `streaming` or `tool_executing`. */
export type AgentTaskStatus = NonNullable<ServerMessageData["taskHistory"]["status"]>;

/** Reason for the end of a run. */
export type RunEnding = NonNullable<ServerMessageData["conversationOver"]["reason"]>;

/** File as base64. */
export type AgentFile = NonNullable<UserMessageData<"userSendMessage">["files"]>[number];

/** Decision about a call that waits for approval. */
export type ApprovalDecision = UserMessageData<"answerApproval">["decision"];

/** Call that requires approval. */
export type Approval = ServerMessageData["approval"];

/** Message from a user. */
export interface UserMessageOfTask {
  readonly key: string;
  readonly type: "userSendMessage";
  readonly data: {
    readonly message: string;
    readonly taskId: string;
    readonly files?: readonly AgentFile[] | undefined;
    readonly messageId?: string | undefined;
    readonly updateTime?: number | undefined;
  };
  /**
   * State of a message that this client has sent: not acknowledged yet, or not delivered. Missing after the server has
   * stored the message.
   */
  readonly delivery?: "sending" | "failed" | undefined;
}

/** Types of the server's messages that belong to a conversation. */
export type ConversationType =
  | "message"
  | "think"
  | "tool"
  | "file"
  | "approval"
  | "compaction"
  | "askFollowupQuestion"
  | "completionResult"
  | "assignTaskUpdated"
  | "interrupt"
  | "error"
  | "alert";

/** Message from the server that belongs to a conversation. Streamed pieces are merged into one message. */
export type ServerMessageOfTask = {
  readonly [Type in ConversationType]: {
    readonly key: string;
    readonly type: Type;
    readonly data: Readonly<ServerMessageData[Type]>;
  };
}[ConversationType];

/**
 * Message in a task. `key` is unique within the task and never changes. Streamed messages have `data.partial` until they
 * are complete.
 */
export type TaskMessage = UserMessageOfTask | ServerMessageOfTask;

/** Subtask of a task. */
export interface Subtask {
  readonly taskId: string;
  /** Position in the `assignTasks` call, starting at 0. */
  readonly index: number;
  /** `running`, `completed`, `failed`, or `interrupted`. */
  readonly status: string;
}

/** Immutable state of an open task. */
export interface TaskState {
  readonly taskId: string;
  /** ID of the parent task, for a subtask. */
  readonly parentTaskId?: string | undefined;
  readonly title?: string | undefined;
  readonly status: AgentTaskStatus;
  /** True while the model responds or tools run. */
  readonly isRunning: boolean;
  /** True until the task's messages have arrived. */
  readonly isLoading: boolean;
  /** False if the user can only watch the task. */
  readonly canWrite: boolean;
  readonly messages: readonly TaskMessage[];
  /** Calls that wait for approval, including those of subtasks. */
  readonly approvals: readonly Approval[];
  readonly subtasks: readonly Subtask[];
  /** Tokens that the whole task has used. */
  readonly usage?: TokenUsage | undefined;
  /** Current length of the conversation in tokens. */
  readonly contextTokens?: number | undefined;
  /** Maximum length of the conversation in tokens. */
  readonly contextWindow?: number | undefined;
  /** Reason for the end of the last run. Missing while a run is in progress, and if the client did not see its end. */
  readonly lastReason?: RunEnding | undefined;
}

/**
 * Immutable snapshot of the client's state. A change creates a new snapshot, which shares all unchanged parts with the
 * one before it: compare them with `===`.
 */
export interface AgentState {
  readonly connection: AgentConnection;
  /** Missing until the client is connected. */
  readonly user?: ConnectedUser | undefined;
  /** Known tasks, newest first. The server sends the latest 100. `list` adds older ones, up to 1,000. */
  readonly tasks: readonly TaskSummary[];
  /** Open tasks by ID, the most recently opened last. */
  readonly open: ReadonlyMap<string, TaskState>;
}

/** Options for `AgentClient.send`. */
export interface SendOptions {
  /** Task that the message continues, or an ID from `createTaskId` for a new task. @default a new task */
  readonly taskId?: string | undefined;
  /** Images and other files. */
  readonly files?: readonly AgentFile[] | undefined;
  /** ID of a message whose delivery failed, to send it again. The server stores it only once. */
  readonly messageId?: string | undefined;
}

/** Acknowledgment of a stored message. */
export interface SentMessage {
  readonly taskId: string;
  /** Time that identifies the message within its task. */
  readonly updateTime: number | undefined;
}

/** Options for `AgentClient.list`. */
export type ListOptions = UserMessageData<"listTasks">;

/** Data of a server message or a registered message. */
export type ReceivedData<Messages extends object, Type> = Type extends keyof ServerMessageData
  ? ServerMessageData[Type]
  : Type extends keyof Messages
    ? Messages[Type]
    : never;

/** Client of an agent server. `Messages` contains the data of the registered messages, by type. */
export interface AgentClient<Messages extends object = {}> {
  /** Current state. */
  readonly state: AgentState;

  /** Calls a listener after every change of the state. Returns a function that removes the listener. */
  subscribe(listener: (state: AgentState) => void): () => void;

  /**
   * Calls a handler for every message of a type from the server, after the state has changed. Returns a function that
   * removes the handler. The data of registered messages is not validated.
   */
  on<const Type extends (keyof ServerMessageData | keyof Messages) & string>(
    type: Type,
    handler: (data: ReceivedData<Messages, Type>) => void,
  ): () => void;

  /** Connects to the server, and reconnects when the connection is lost. Resolves when the client is connected. */
  connect(): Promise<void>;

  /** Closes the connection. Pending requests are rejected. `connect` opens it again. */
  close(): void;

  /** Sends a message. Resolves when the server has stored it. Without a connection, it is sent after the next one. */
  send(text: string, options?: SendOptions): Promise<SentMessage>;

  /** Loads a task and watches it. Resolves when its messages have arrived. */
  open(taskId: string): Promise<TaskState>;

  /** Stops the model and its tools. */
  interrupt(taskId: string): Promise<void>;

  /** Continues a task after an interrupt, an error, a restart, or a limit. */
  resume(taskId: string): Promise<void>;

  /** Changes the title of a task. */
  rename(taskId: string, title: string): Promise<void>;

  /** Deletes a task and its subtasks. */
  delete(taskId: string): Promise<void>;

  /** Decides about a call that waits for approval. `reason` explains a denial to the model. */
  decide(
    approval: Pick<Approval, "taskId" | "approvalId" | "subtaskId">,
    decision: ApprovalDecision,
    reason?: string,
  ): Promise<void>;

  /** Requests a page of tasks, newest first. */
  list(options?: ListOptions): Promise<TaskPage>;

  /** Sends a registered message. Returns false if the client is not connected: the message is then not sent. */
  post<const Type extends keyof Messages & string>(type: Type, data: Messages[Type]): boolean;
}

type UserMessageData<Type extends UserMessage["type"]> = Extract<
  UserMessage,
  { readonly type: Type }
>["data"];
