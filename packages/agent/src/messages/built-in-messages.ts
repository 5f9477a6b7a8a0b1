/**
 * @fileoverview The messages that every agent server knows: four that a user sends, fourteen that a server sends. Their
 * descriptions are the table in the guide.
 * @module agent/built-in-messages
 */
import { z } from "zod";
import { isTaskId } from "../storage/task-id.js";

/** A task's name becomes a folder's: nothing that a path could be made of gets in. */
const taskId = /* @__PURE__ */ z.string().refine(isTaskId, "Must be 1 to 128 letters, digits, _ or -");

const text = /* @__PURE__ */ z.string().max(1_000_000);
const time = /* @__PURE__ */ z.number().int().nonnegative();

const taskOnly = /* @__PURE__ */ z.object({ taskId });

/** What a user sends. */
export const USER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "userSendMessage",
    z.object({ message: text.min(1), taskId: taskId.or(z.literal("")).optional() }),
    "Begins a task, or goes on with one. Without a `taskId` the task gets one, which the `ack` tells",
  ),
  describe("interrupt", taskOnly, "Stops the model and its tools. What was said so far stays"),
  describe(
    "loadTask",
    taskOnly,
    "Asks for the `taskHistory`, and for all that happens in the task from then on",
  ),
  describe("resume", taskOnly, "Goes on after an interrupt, an error, a restart or too many steps"),
] as const);

/** A message of a user, checked. */
export type UserMessage = z.infer<(typeof USER_MESSAGES)[number]>;

/** How far a message that comes in pieces is. */
const progress = {
  updateTime: time.optional(),
  partial: z.boolean().optional(),
  status: z.string().optional(),
};

const textData = /* @__PURE__ */ z.object({ message: text, taskId: taskId.optional(), ...progress });

/** What a server sends. */
export const SERVER_MESSAGES = /* @__PURE__ */ Object.freeze([
  describe(
    "connected",
    z.object({ message: text, updateTime: time.optional() }),
    "The first message of every connection",
  ),
  describe(
    "sessionHistories",
    z.object({
      sessionHistories: z.array(z.object({ taskId, title: z.string(), updatedAt: z.string() })),
    }),
    "The latest 100 tasks, the newest first: after `connected`, and to the one who began a task",
  ),
  describe(
    "ack",
    z.object({
      taskId: z.string(),
      targetMessage: z.unknown(),
      status: z.enum(["pending", "acked", "failed"]),
      updateTime: time.optional(),
    }),
    "Answers each message of a user. A `userSendMessage` that is `acked` is safe on disk, and all who watch the task hear of it, as of a `resume`; after `failed` an `error` says why",
  ),
  describe(
    "message",
    textData,
    "Text of the model. While `partial`, it is what was added; the last one is the whole text. `status` is `interrupted` where it was cut short, `discarded` where it is to be taken back",
  ),
  describe("think", textData, "What the model thinks aloud, in the same way"),
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
    "A call. While `partial`, `params` are those so far, and `status` is `writing` or `running`; then `done`, `failed`, `interrupted` or `discarded`",
  ),
  describe(
    "askFollowupQuestion",
    z.object({
      taskId: taskId.optional(),
      question: text,
      suggestOptions: z.array(text).optional(),
      ...progress,
    }),
    "The model asks; the next `userSendMessage` is the answer",
  ),
  describe(
    "completionResult",
    textData,
    "The model says that the task is done. It streams as `message` does",
  ),
  describe(
    "assignTaskUpdated",
    z.object({
      index: z.number().int(),
      taskId,
      parentTaskId: taskId.optional(),
      taskStatus: z.string().optional(),
    }),
    "A part of a task, which is a task of its own, is `running`, `completed`, `failed` or `interrupted`",
  ),
  describe(
    "taskHistory",
    z.object({
      taskId,
      parentTaskId: taskId.optional(),
      status: z.enum(["idle", "streaming", "tool_executing", "completed", "aborted", "error"]).optional(),
      messages: z.array(z.unknown()),
    }),
    "All messages of a task. What is under way stands last, `partial`, with all that is there of it",
  ),
  describe("interrupt", z.object({ taskId, updateTime: time }), "The task was interrupted"),
  describe(
    "conversationOver",
    z.object({
      taskId: taskId.optional(),
      reason: z.enum(["answered", "completed", "question", "interrupted", "error", "stepLimit"]).optional(),
    }),
    "The run is over, and a user may write again",
  ),
  describe(
    "error",
    z.object({
      message: text,
      details: z.unknown().optional(),
      taskId: taskId.optional(),
      updateTime: time.optional(),
    }),
    "Something could not be done. The connection lives",
  ),
  describe(
    "alert",
    z.object({
      message: text,
      severity: z.enum(["info", "warning", "error"]),
      taskId: taskId.optional(),
      updateTime: time,
    }),
    "Something that users should know",
  ),
] as const);

/** A message of the server. */
export type ServerMessage = z.infer<(typeof SERVER_MESSAGES)[number]>;

/** The types that no registered message may take. */
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
