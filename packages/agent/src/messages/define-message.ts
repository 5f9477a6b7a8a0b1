/**
 * @fileoverview Message definitions: a type, a schema for the data, and an optional server-side handler.
 * @module agent/messages/define-message
 */
import { z } from "zod";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { showValue } from "@tenon/internal/kind-of";
import { describeField, messageDataError, showSchema } from "../shared/errors.js";
import type { AgentUser } from "../users/user.js";

/** Schema of a complete message: its type and its data. */
export type MessageSchema<
  TType extends string = string,
  TData extends z.ZodObject = z.ZodObject,
> = z.ZodObject<{
  type: z.ZodLiteral<TType>;
  data: TData;
}>;

/** Sends a message to the client whose message is being handled. */
export type MessageReply = (message: { readonly type: string; readonly data: object }) => void;

/** Sender of a message. */
export interface MessageContext {
  /** User of the client. `undefined` if the server does not identify users. */
  readonly user: AgentUser | undefined;
}

/** Message type with its schema and an optional server-side handler. */
export interface MessageDefinition<TType extends string = string, TData extends z.ZodObject = z.ZodObject> {
  readonly type: TType;
  readonly schema: MessageSchema<TType, TData>;
  /** Handles each message of this type from a client. The data is already validated. */
  // Declared as a method because method parameters are bivariant, so definitions with different data types fit in
  // one array.
  handler?(
    this: void,
    data: z.output<TData>,
    reply: MessageReply,
    context: MessageContext,
  ): MaybePromise<void>;
}

/** Options for `defineMessage`. */
export interface MessageInput<TType extends string, TData extends z.ZodObject> extends Pick<
  MessageDefinition<TType, TData>,
  "type" | "handler"
> {
  readonly dataSchema: TData;
}

/**
 * Defines a message. The type of the handler's data is inferred from the schema.
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
 * Validates message data and returns it, typed by the message's schema.
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

/** Checks a message definition. Returns its problems, or an empty array if it is valid. */
export function findMessageProblems(message: unknown): readonly string[] {
  const { type, schema, handler } = Object(message) as Partial<Record<keyof MessageDefinition, unknown>>;
  const hasType = typeof type === "string" && type.trim() !== "";
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const hasData = shape.data instanceof z.ZodObject;
  const names = shape.type instanceof z.ZodLiteral ? [...shape.type.values] : [];
  return [
    ...(hasType ? [] : [describeField("type", "a non-empty string", type)]),
    ...(hasData ? [] : [describeField("dataSchema", "a `z.object({ … })`", shape.data)]),
    ...(hasType && hasData && !(names.length === 1 && names[0] === type)
      ? [
          `\`schema.shape.type\` must be the literal ${showValue(type)}; got ${names.map(showValue).join(" | ") || showSchema(shape.type)}`,
        ]
      : []),
    ...(handler === undefined || typeof handler === "function"
      ? []
      : [describeField("handler", "a function", handler)]),
  ];
}
