/**
 * @fileoverview Dispatches client messages: user messages to the conversations, registered messages to their
 * handlers.
 * @module agent/message-handler
 */
import { type UserMessage, USER_MESSAGES } from "./messages/built-in-messages.js";
import type { Connection } from "./socket/connection.js";
import type { Conversations } from "./conversation/conversations.js";
import type { MessageDefinition } from "./messages/define-message.js";
import { compileFrameCheck, type Frame } from "./messages/frames.js";
import type { ListenerHandler } from "./socket/listener.js";

/** Dependencies of the message handler. */
export interface MessageHandlerParts {
  readonly messages: readonly MessageDefinition[];
  readonly conversations: Conversations;
  /** Encodes a message to send. @throws if the message type is not registered */
  readonly encode: (message: Frame) => Uint8Array;
}

/** Compiles the union of all messages and maps each type to its handler. */
export function createMessageHandler(parts: MessageHandlerParts): ListenerHandler {
  const { messages, conversations, encode } = parts;
  const [first, ...others] = USER_MESSAGES;
  const byType = new Map(messages.map((message) => [message.type, message]));
  const send = (connection: Connection) => (message: Frame) => connection.sendBytes(encode(message));
  return {
    check: compileFrameCheck([first, ...others, ...messages.map(({ schema }) => schema)]),
    open: (connection) => void conversations.open(connection),
    close: (connection) => conversations.close(connection),
    stop: () => conversations.stop(),
    async receive(frame, connection) {
      if (isUserMessage(frame)) return conversations.handle(frame, connection);
      const reply = send(connection);
      await byType.get(frame.type)?.handler?.(
        frame.data as Readonly<Record<string, unknown>>, // validated by the schema of this message
        (message) => void reply(message),
      );
    },
  };
}

const USER_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  USER_MESSAGES.map(({ shape }) => shape.type.value),
);

/** The frame was validated against the schema of its type before. */
function isUserMessage(frame: Frame): frame is UserMessage {
  return USER_TYPES.has(frame.type);
}
