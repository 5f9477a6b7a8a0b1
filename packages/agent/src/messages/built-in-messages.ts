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
    "The latest 100 tasks, newest first. Sent after `connected`, and again to a client that starts a task",
  ),
  describe(
    "ack",
    z.object({
      taskId: z.string(),
      targetMessage: z.unknown(),
      status: z.enum(["pending", "acked", "failed"]),
      updateTime: time.optional(),
    }),
    "Acknowledges each message from a client. For a `userSendMessage`, the status `acked` means that the message is on disk. The `ack` for a `userSendMessage` or `resume` is sent to every client that watches the task. After `failed`, an `error` message gives the reason",
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
    "A tool call. While `partial` is true, `params` may be incomplete, and `status` is `writing` or `running`. The final `status` is `done`, `failed`, `interrupted`, or `discarded`",
  ),
  describe(
    "askFollowupQuestion",
    z.object({
      taskId: taskId.optional(),
      question: text,
      suggestOptions: z.array(text).optional(),
      ...progress,
    }),
    "A question from the model. The next `userSendMessage` is the answer",
  ),
  describe("completionResult", textData, "The result of a completed task, streamed like `message`"),
  describe(
    "assignTaskUpdated",
    z.object({
      index: z.number().int(),
      taskId,
      parentTaskId: taskId.optional(),
      taskStatus: z.string().optional(),
    }),
    "Status of a subtask: `running`, `completed`, `failed`, or `interrupted`",
  ),
  describe(
    "taskHistory",
    z.object({
      taskId,
      parentTaskId: taskId.optional(),
      status: z.enum(["idle", "streaming", "tool_executing", "completed", "aborted", "error"]).optional(),
      messages: z.array(z.unknown()),
    }),
    "All messages in a task. Messages that are still streaming come last, marked `partial`, with their text so far",
  ),
  describe("interrupt", z.object({ taskId, updateTime: time }), "The task was interrupted"),
  describe(
    "conversationOver",
    z.object({
      taskId: taskId.optional(),
      reason: z.enum(["answered", "completed", "question", "interrupted", "error", "stepLimit"]).optional(),
    }),
    "The run has ended. The user can send the next message",
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
