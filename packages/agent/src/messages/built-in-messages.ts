/**
 * @fileoverview Built-in messages that clients and the server send. The message table in the docs is generated from
 * these descriptions.
 * @module agent/built-in-messages
 */
import { z } from "zod";
import { isTaskId, TASK_ID_RULE } from "../storage/task-id.js";

/** Task IDs become folder names, so they must not contain characters that are special in paths. */
const taskId = /* @__PURE__ */ z.string().refine(isTaskId, `Must be ${TASK_ID_RULE}`);

const text = /* @__PURE__ */ z.string().max(1_000_000);
const time = /* @__PURE__ */ z.number().int().nonnegative();

const taskOnly = /* @__PURE__ */ z.object({ taskId });

/** Schemas of the messages that clients send. */
export const USER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "userSendMessage",
    z.object({ message: text.min(1), taskId: taskId.or(z.literal("")).optional() }),
    "Starts or continues a task. Without a `taskId`, the server creates a task and returns its ID in the `ack`",
  ),
  describe("interrupt", taskOnly, "Stops the model and its tools. Existing messages are kept"),
  describe(
    "loadTask",
    taskOnly,
    "Requests the `taskHistory`. The client then watches the task and receives all later messages for it",
  ),
  describe("resume", taskOnly, "Continues a task after an interrupt, an error, a restart, or the step limit"),
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

/** Schemas of the messages that the server sends. */
export const SERVER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "connected",
    z.object({ message: text, updateTime: time.optional() }),
    "First message on every connection",
  ),
  describe(
    "sessionHistories",
    z.object({
      sessionHistories: z.array(z.object({ taskId, title: z.string(), updatedAt: z.string() })),
    }),
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
    "A tool call. While `partial` is true, `status` is `writing` (the model is writing the call, and `params` may be incomplete) or `running`. The final `status` is `done`, `failed`, `interrupted`, or `discarded` (the client must remove the call)",
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
      status: z.enum(["idle", "streaming", "tool_executing", "completed", "aborted", "error"]).optional(),
      messages: z.array(z.unknown()),
    }),
    "All messages in a task. Messages that are still streaming come last, marked `partial`, with their text so far. While the task runs, `status` is `streaming` (the model responds) or `tool_executing`. Otherwise, it is `idle` (the user's turn), `completed`, `aborted` (by an interrupt, a restart, or the step limit), or `error`",
  ),
  describe("interrupt", z.object({ taskId, updateTime: time }), "The task was interrupted"),
  describe(
    "conversationOver",
    z.object({
      taskId: taskId.optional(),
      reason: z.enum(["answered", "completed", "question", "interrupted", "error", "stepLimit"]).optional(),
    }),
    "The run has ended, and the user can send the next message. `reason` is `answered` after a response without a tool call, `completed` after a `completionResult`, and `question` after an `askFollowupQuestion`",
  ),
  describe(
    "error",
    z.object({
      message: text,
      details: z.unknown().optional(),
      taskId: taskId.optional(),
      updateTime: time.optional(),
    }),
    "A request failed. The connection stays open",
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
