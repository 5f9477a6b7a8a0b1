/**
 * @fileoverview Dispatches client messages: user messages go to the conversations, and registered messages go to
 * their handlers.
 * @module agent/message-handler
 */
import { type UserMessage, USER_MESSAGES } from "./messages/built-in-messages.js";
import type { Connection } from "./socket/connection.js";
import type { Conversations } from "./conversation/conversations.js";
import type { MessageDefinition } from "./messages/define-message.js";
import { compileFrameCheck, type Frame } from "./messages/frames.js";
import type { ListenerHandler } from "./socket/listener.js";

/** Dependencies for `createMessageHandler`. */
export interface MessageHandlerParts {
  readonly messages: readonly MessageDefinition[];
  readonly conversations: Conversations;
  /** Encodes an outgoing message as a frame. @throws if the message type is not registered */
  readonly encode: (message: Frame) => Uint8Array;
}

/** Creates the handler for client messages. The union of all message schemas is compiled once. */
export function createMessageHandler(parts: MessageHandlerParts): ListenerHandler {
  const { messages, conversations, encode } = parts;
  const [first, ...others] = USER_MESSAGES;
  const byType = new Map(messages.map((message) => [message.type, message]));
  const send = (connection: Connection) => (message: Frame) => connection.sendBytes(encode(message));
  return {
    check: compileFrameCheck([first, ...others, ...messages.map(({ schema }) => schema)]),
    open: (connection) => void conversations.open(connection),
    close: (connection) => conversations.close(connection),
    stop: () => conversations.core.stop(),
    async receive(frame, connection) {
      if (isUserMessage(frame)) return conversations.handle(frame, connection);
      const reply = send(connection);
      await byType.get(frame.type)?.handler?.(
        frame.data as Readonly<Record<string, unknown>>, // Safe: validated against this message's schema
        (message) => void reply(message),
        { user: connection.user },
      );
    },
  };
}

const USER_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  USER_MESSAGES.map(({ shape }) => shape.type.value),
);

/** Returns true if a frame is a user message. Its data was already validated against the schema for its type. */
function isUserMessage(frame: Frame): frame is UserMessage {
  return USER_TYPES.has(frame.type);
}
