/**
 * @fileoverview A message between an agent's server and its users: a type, and a schema of its data.
 * @module agent/define-message
 */
import { z } from "zod";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { messageDataError } from "../shared/errors.js";

/** The schema of a whole message. */
export type MessageSchema<
  TType extends string = string,
  TData extends z.ZodObject = z.ZodObject,
> = z.ZodObject<{
  type: z.ZodLiteral<TType>;
  data: TData;
}>;

/** Sends a message back to whoever sent the one that is being handled. */
export type MessageReply = (message: { readonly type: string; readonly data: object }) => void;

/** A message: its type, its schema, and what the server does when it comes. */
export interface MessageDefinition<TType extends string = string, TData extends z.ZodObject = z.ZodObject> {
  readonly type: TType;
  readonly schema: MessageSchema<TType, TData>;
  // A method, so that messages of different data make one list.
  handler?(this: void, data: z.output<TData>, reply: MessageReply): MaybePromise<void>;
}

/** What `defineMessage` takes. */
export interface MessageInput<TType extends string, TData extends z.ZodObject> {
  readonly type: TType;
  readonly dataSchema: TData;
  handler?(this: void, data: z.output<TData>, reply: MessageReply): MaybePromise<void>;
}

/**
 * Defines a message. The handler's data are typed by the schema.
 *
 * @example
 * const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });
 */
export function defineMessage<const TType extends string, TData extends z.ZodObject>(
  definition: MessageInput<TType, TData>,
): MessageDefinition<TType, TData> {
  const { type, dataSchema, handler } = definition;
  const schema = z.object({ type: z.literal(type), data: dataSchema });
  return handler === undefined ? { type, schema } : { type, schema, handler };
}

/**
 * The data of a message, checked.
 *
 * @throws {ValidationError} `Message '{type}' data validation failed: …`
 */
export function parseMessageData<TType extends string, TData extends z.ZodObject>(
  message: MessageDefinition<TType, TData>,
  data: unknown,
): z.output<TData> {
  const outcome = message.schema.shape.data.safeParse(data);
  if (!outcome.success) throw messageDataError(message.type, outcome.error.issues);
  return outcome.data;
}

/** What is wrong with a message that is to be registered; empty where nothing is. */
export function findMessageProblems(message: unknown): readonly string[] {
  const { type, schema, handler } = Object(message) as Partial<Record<keyof MessageDefinition, unknown>>;
  const hasType = typeof type === "string" && type.trim() !== "";
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const hasData = shape.data instanceof z.ZodObject;
  const names = shape.type instanceof z.ZodLiteral ? [...shape.type.values] : [];
  return [
    ...(hasType ? [] : ["type is missing"]),
    ...(hasData ? [] : ["data schema is missing"]),
    ...(hasType && hasData && !(names.length === 1 && names[0] === type)
      ? ["its schema is of another type"]
      : []),
    ...(handler === undefined || typeof handler === "function" ? [] : ["handler is not a function"]),
  ];
}
