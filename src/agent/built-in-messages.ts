/**
 * @fileoverview The messages that every agent server knows: four that a user sends, fourteen that a server sends.
 * @module agent/built-in-messages
 */
import { z } from "zod";

/** A task's name becomes a folder's: nothing that a path could be made of gets in. */
const taskId = /* @__PURE__ */ z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, "Must be 1 to 128 letters, digits, _ or -");

const text = /* @__PURE__ */ z.string().max(1_000_000);
const time = /* @__PURE__ */ z.number().int().nonnegative();

const taskOnly = /* @__PURE__ */ z.object({ taskId });

/** What a user sends. */
export const USER_MESSAGES = /* @__PURE__ */ Object.freeze([
  z.object({
    type: z.literal("userSendMessage"),
    // A conversation that has no name yet gets one.
    data: z.object({ message: text.min(1), taskId: taskId.or(z.literal("")).optional() }),
  }),
  z.object({ type: z.literal("interrupt"), data: taskOnly }),
  z.object({ type: z.literal("loadTask"), data: taskOnly }),
  z.object({ type: z.literal("resume"), data: taskOnly }),
] as const);

/** A message of a user, checked. */
export type UserMessage = z.infer<(typeof USER_MESSAGES)[number]>;

/** How far a message that comes in pieces is. */
const progress = {
  updateTime: time.optional(),
  partial: z.boolean().optional(),
  status: z.string().optional(),
};

const said = /* @__PURE__ */ z.object({ message: text, taskId: taskId.optional(), ...progress });

/** What a server sends. */
export const SERVER_MESSAGES = /* @__PURE__ */ Object.freeze([
  z.object({ type: z.literal("message"), data: said }),
  z.object({ type: z.literal("connected"), data: z.object({ message: text, updateTime: time.optional() }) }),
  z.object({
    type: z.literal("tool"),
    data: z.object({
      taskId: taskId.optional(),
      toolName: z.string().optional(),
      message: text,
      params: z.unknown().optional(),
      toolResult: z.unknown().optional(),
      error: text.optional(),
      ...progress,
    }),
  }),
  z.object({ type: z.literal("completionResult"), data: said }),
  z.object({ type: z.literal("think"), data: said }),
  z.object({
    type: z.literal("ack"),
    data: z.object({
      taskId: z.string(),
      targetMessage: z.unknown(),
      status: z.enum(["pending", "acked", "failed"]),
      updateTime: time.optional(),
    }),
  }),
  z.object({ type: z.literal("taskHistory"), data: z.object({ taskId, messages: z.array(z.unknown()) }) }),
  z.object({
    type: z.literal("sessionHistories"),
    data: z.object({
      sessionHistories: z.array(z.object({ taskId, title: z.string(), updatedAt: z.string() })),
    }),
  }),
  z.object({
    type: z.literal("askFollowupQuestion"),
    data: z.object({
      taskId: taskId.optional(),
      question: text,
      suggestOptions: z.array(text).optional(),
      ...progress,
    }),
  }),
  z.object({
    type: z.literal("assignTaskUpdated"),
    data: z.object({
      index: z.number().int(),
      taskId,
      parentTaskId: taskId.optional(),
      taskStatus: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal("interrupt"), data: z.object({ taskId, updateTime: time }) }),
  z.object({ type: z.literal("conversationOver"), data: z.object({ reason: z.string().optional() }) }),
  z.object({
    type: z.literal("error"),
    data: z.object({ message: text, details: z.unknown().optional(), updateTime: time.optional() }),
  }),
  z.object({
    type: z.literal("alert"),
    data: z.object({ message: text, severity: z.enum(["info", "warning", "error"]), updateTime: time }),
  }),
] as const);

/** A message of the server. */
export type ServerMessage = z.infer<(typeof SERVER_MESSAGES)[number]>;

/** The types that no registered message may take. */
export const BUILT_IN_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  [...USER_MESSAGES, ...SERVER_MESSAGES].map(({ shape }) => shape.type.value),
);
