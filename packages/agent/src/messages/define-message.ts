/**
 * @fileoverview Definition of a message between an agent server and its clients: a type, and a schema for its data.
 * @module agent/define-message
 */
import { z } from "zod";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { messageDataError } from "../shared/errors.js";

/** Schema of a whole message. */
export type MessageSchema<
  TType extends string = string,
  TData extends z.ZodObject = z.ZodObject,
> = z.ZodObject<{
  type: z.ZodLiteral<TType>;
  data: TData;
}>;

/** Sends a message to the client whose message is being handled. */
export type MessageReply = (message: { readonly type: string; readonly data: object }) => void;

/** A message: its type, its schema, and its handler. */
export interface MessageDefinition<TType extends string = string, TData extends z.ZodObject = z.ZodObject> {
  readonly type: TType;
  readonly schema: MessageSchema<TType, TData>;
  // A method, so that definitions with different data types fit in one list.
  handler?(this: void, data: z.output<TData>, reply: MessageReply): MaybePromise<void>;
}

/** Input of `defineMessage`. */
export interface MessageInput<TType extends string, TData extends z.ZodObject> {
  readonly type: TType;
  readonly dataSchema: TData;
  handler?(this: void, data: z.output<TData>, reply: MessageReply): MaybePromise<void>;
}

/**
 * Defines a message. The schema determines the type of the handler's data.
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
 * Validates the data of a message.
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

/** Finds problems of a message definition. Returns an empty list if it is valid. */
export function findMessageProblems(message: unknown): readonly string[] {
  const { type, schema, handler } = Object(message) as Partial<Record<keyof MessageDefinition, unknown>>;
  const hasType = typeof type === "string" && type.trim() !== "";
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const hasData = shape.data instanceof z.ZodObject;
  const names = shape.type instanceof z.ZodLiteral ? [...shape.type.values] : [];
  return [
    ...(hasType ? [] : ["`type` is missing"]),
    ...(hasData ? [] : ["data schema is missing"]),
    ...(hasType && hasData && !(names.length === 1 && names[0] === type)
      ? ["`schema` has a different type"]
      : []),
    ...(handler === undefined || typeof handler === "function" ? [] : ["`handler` is not a function"]),
  ];
}
