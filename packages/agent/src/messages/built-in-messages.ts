/**
 * @fileoverview Built-in messages that clients and the server send. The message table in the docs is generated from
 * these descriptions.
 * @module agent/messages/built-in-messages
 */
import { z } from "zod";
import { TASK_STATUSES } from "../storage/task-entry.js";
import { isTaskId, TASK_ID_RULE } from "../storage/task-id.js";

/** Task IDs become folder names, so they must not contain characters that are special in paths. */
const taskId = /* @__PURE__ */ z.string().refine(isTaskId, `Must be ${TASK_ID_RULE}`);

const text = /* @__PURE__ */ z.string().max(1_000_000);
const time = /* @__PURE__ */ z.number().int().nonnegative();

/** Characters of base64 in a file. The limit of the whole message (`maxPayload`) usually applies first. */
const MAX_FILE = 32_000_000;

const file = /* @__PURE__ */ z.object({
  mediaType: z.string().regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/),
  data: z.base64().max(MAX_FILE),
  name: z.string().max(200).optional(),
});

const tokens = /* @__PURE__ */ z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
});

const listed = /* @__PURE__ */ z.object({ taskId, title: z.string(), updatedAt: z.string() });
const taskOnly = /* @__PURE__ */ z.object({ taskId });

/** Schemas of the messages that clients send. */
export const USER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "authenticate",
    z.object({ token: z.string().min(1).max(16_384) }),
    "First message of a client that cannot send its token in a header or a cookie. The server responds with `connected`, or closes the connection. There is no `ack`",
  ),
  describe(
    "userSendMessage",
    z.object({
      message: text.min(1),
      taskId: taskId.or(z.literal("")).optional(),
      files: z.array(file).max(16).optional(),
      messageId: z.string().min(1).max(64).optional(),
    }),
    "Starts or continues a task. Without a `taskId`, the server creates a task and returns its ID in the `ack`. `files` are images and other files as base64. A client that did not receive the `ack` can send the message again with the same `taskId` and `messageId`: the server stores it only once",
  ),
  describe(
    "answerApproval",
    z.object({
      taskId,
      approvalId: z.string().min(1).max(64),
      decision: z.enum(["approve", "deny", "always"]),
      reason: z.string().max(2_000).optional(),
    }),
    "Decides about a call that waits for approval. `always` also approves later calls to the same tool in this task. `reason` explains a denial to the model. The first decision counts: a later one is rejected. When all waiting calls are decided, the run continues",
  ),
  describe("interrupt", taskOnly, "Stops the model and its tools. Existing messages are kept"),
  describe(
    "loadTask",
    taskOnly,
    "Requests the `taskHistory`. The client then watches the task and receives all later messages for it",
  ),
  describe(
    "resume",
    taskOnly,
    "Continues a task after an interrupt, an error, a restart, or a limit. Calls that had not started are run",
  ),
  describe(
    "listTasks",
    z.object({
      cursor: z.string().max(200).optional(),
      limit: z.number().int().min(1).max(100).optional(),
      search: z.string().max(200).optional(),
    }),
    "Requests a `taskList`: the newest tasks, or those after a `cursor`. `limit` is the maximum number of tasks, from 1 to 100 (default: 50). With `search`, only tasks whose title or messages contain every word are listed. There is no `ack`",
  ),
  describe(
    "renameTask",
    z.object({ taskId, title: z.string().min(1).max(500) }),
    "Changes the title of a task. The `ack` means that the new title is on disk",
  ),
  describe(
    "deleteTask",
    taskOnly,
    "Deletes a task, its subtasks, and their files. A running task is interrupted first. The `ack` means that the task stays deleted, even after a crash",
  ),
] as const);

/** Validated message from a client. */
export type UserMessage = z.infer<(typeof USER_MESSAGES)[number]>;

/** Fields that streamed messages share. */
const progress = {
  updateTime: time.optional(),
  partial: z.boolean().optional(),
  status: z.string().optional(),
};

const textData = /* @__PURE__ */ z.object({ message: text, taskId: taskId.optional(), ...progress });

/** Reasons for the end of a run. */
export const ENDINGS = /* @__PURE__ */ Object.freeze([
  "answered",
  "completed",
  "question",
  "approval",
  "interrupted",
  "error",
  "stepLimit",
  "length",
  "budget",
  "filtered",
  "blocked",
] as const);

/** Schemas of the messages that the server sends. */
export const SERVER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "connected",
    z.object({
      message: text,
      updateTime: time.optional(),
      userId: z.string().optional(),
      canWrite: z.boolean().optional(),
    }),
    "First message on every connection. `userId` is the user that the token identifies. If `canWrite` is false, the user can only watch",
  ),
  describe(
    "sessionHistories",
    z.object({ sessionHistories: z.array(listed) }),
    "The latest 100 tasks (sessions are tasks), newest first. Sent after `connected`, and again to a client that starts a task",
  ),
  describe(
    "ack",
    z.object({
      taskId: z.string(),
      targetMessage: z.unknown(),
      status: z.enum(["pending", "acked", "failed"]),
      updateTime: time.optional(),
    }),
    "Acknowledges a message from a client, which is repeated in `targetMessage`. `acked` means that the server accepted it; a `userSendMessage` is then on disk. `failed` means that the server rejected it; an `error` message with the reason follows. The server does not send `pending`. The `ack` for a `userSendMessage` or `resume` is sent to every client that watches the task",
  ),
  describe(
    "message",
    textData,
    "Text from the model. A `partial` message contains only the new text, which clients append. The final message contains the full text. `status` is `interrupted` if the text is incomplete, and `discarded` if the client must remove it",
  ),
  describe("think", textData, "The model's reasoning, streamed like `message`"),
  describe(
    "tool",
    z.object({
      taskId: taskId.optional(),
      toolName: z.string().optional(),
      message: text,
      params: z.unknown().optional(),
      toolResult: z.unknown().optional(),
      error: text.optional(),
      ...progress,
    }),
    "A tool call. While `partial` is true, `status` is `writing` (the model is writing the call, and `params` may be incomplete) or `running`. The final `status` is `done`, `failed`, `denied` (by a user, a rule, or a hook), `interrupted`, or `discarded` (the client must remove the call)",
  ),
  describe(
    "file",
    z.object({ taskId: taskId.optional(), ...file.shape, updateTime: time.optional() }),
    "An image or another file from the model, as base64",
  ),
  describe(
    "approval",
    z.object({
      taskId,
      approvalId: z.string(),
      subtaskId: taskId.optional(),
      toolName: z.string(),
      params: z.unknown().optional(),
      status: z.enum(["waiting", "approved", "denied", "cancelled"]),
      always: z.boolean().optional(),
      reason: text.optional(),
      decidedBy: z.string().optional(),
      updateTime: time.optional(),
    }),
    "A call that requires approval. It is sent again with the same `updateTime` when its `status` changes. `cancelled` means that the run ended or the user sent another message first. For a call of a subtask, `subtaskId` is the `taskId` for the decision",
  ),
  describe(
    "usage",
    z.object({
      taskId,
      response: tokens,
      run: tokens,
      task: tokens,
      contextTokens: z.number().optional(),
      contextWindow: z.number().optional(),
      isEstimated: z.boolean().optional(),
    }),
    "Tokens of the last response, of the run, and of the whole task. `contextTokens` is the current length of the conversation. `isEstimated` is true if the model did not report its usage",
  ),
  describe(
    "compaction",
    z.object({ taskId, summary: text, updateTime: time.optional() }),
    "The start of the conversation was replaced by a summary for the model, because it was too long. Clients keep all messages",
  ),
  describe(
    "askFollowupQuestion",
    z.object({
      taskId: taskId.optional(),
      question: text,
      suggestOptions: z.array(text).optional(),
      ...progress,
    }),
    "A question from the model, with suggested answers. It is sent whole, without `partial` and `status`. The next `userSendMessage` is the answer",
  ),
  describe(
    "completionResult",
    textData,
    "The result with which the model ended the run, streamed like `message`",
  ),
  describe(
    "assignTaskUpdated",
    z.object({
      index: z.number().int(),
      taskId,
      parentTaskId: taskId.optional(),
      taskStatus: z.string().optional(),
    }),
    "Status of a subtask. `taskId` is the subtask's ID, and `index` is its position in the `assignTasks` call, starting at 0. `taskStatus` is `running`, `completed`, `failed`, or `interrupted`",
  ),
  describe(
    "taskHistory",
    z.object({
      taskId,
      parentTaskId: taskId.optional(),
      status: z.enum(TASK_STATUSES).optional(),
      messages: z.array(z.unknown()),
      usage: tokens.optional(),
      contextTokens: z.number().optional(),
      contextWindow: z.number().optional(),
      reason: z.string().optional(),
      canWrite: z.boolean().optional(),
    }),
    "All messages in a task. Messages that are still streaming come last, marked `partial`, with their text so far. While the task runs, `status` is `streaming` (the model responds) or `tool_executing`. Otherwise, it is `idle` (the user's turn), `waiting` (for approvals), `completed`, `aborted` (by an interrupt, a restart, or a limit), or `error`. `usage` counts the tokens of the whole task, and `contextTokens` those of the conversation at its last response. `reason` is the one of the last `conversationOver`, if the run did not end well. If `canWrite` is false, the user can only watch the task",
  ),
  describe(
    "taskList",
    z.object({
      tasks: z.array(listed.extend({ excerpt: z.string().optional() })),
      nextCursor: z.string().optional(),
      cursor: z.string().optional(),
      search: z.string().optional(),
    }),
    "A page of tasks, newest first, without subtasks. If there are more, `nextCursor` is the `cursor` for the next page. A task that changes moves to the start of the list; the pages of all other tasks stay the same. `excerpt` is the part of a message that matches the search. A search reads a limited amount of data per page, so a page with few or no tasks can have a `nextCursor`. `cursor` and `search` are repeated from the request",
  ),
  describe(
    "taskRenamed",
    z.object({ taskId, title: z.string() }),
    "A task has a new title. Sent to every client that watches the task",
  ),
  describe(
    "taskRemoved",
    z.object({ taskId, reason: z.enum(["deleted", "archived"]) }),
    "A task no longer exists, because a client deleted it, or the server archived or deleted it at `maxTasks`. Sent to every client that watches the task",
  ),
  describe("interrupt", z.object({ taskId, updateTime: time }), "The task was interrupted"),
  describe(
    "conversationOver",
    z.object({ taskId: taskId.optional(), reason: z.enum(ENDINGS).optional() }),
    "The run has ended, and the user can send the next message. `reason` is `answered` after a response without a tool call, `completed` after a `completionResult`, `question` after an `askFollowupQuestion`, and `approval` if calls wait for approval. A limit ended the run if it is `stepLimit`, `length` (of a response), or `budget` (of tokens). `filtered` means that the provider's content filter ended the response, and `blocked` that a hook ended the run",
  ),
  describe(
    "error",
    z.object({
      message: text,
      details: z.unknown().optional(),
      taskId: taskId.optional(),
      updateTime: time.optional(),
    }),
    "A request failed. The connection stays open, unless the server closes it with a code",
  ),
  describe(
    "alert",
    z.object({
      message: text,
      severity: z.enum(["info", "warning", "error"]),
      taskId: taskId.optional(),
      updateTime: time,
    }),
    "A notice for users",
  ),
] as const);

/** Message that the server sends. */
export type ServerMessage = z.infer<(typeof SERVER_MESSAGES)[number]>;

/** Built-in message types. Registered messages cannot use them. */
export const BUILT_IN_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  [...USER_MESSAGES, ...SERVER_MESSAGES].map(({ shape }) => shape.type.value),
);

function describe<const TType extends string, TData extends z.ZodObject>(
  type: TType,
  data: TData,
  description: string,
): z.ZodObject<{ type: z.ZodLiteral<TType>; data: TData }> {
  return z.object({ type: z.literal(type), data }).describe(description);
}
