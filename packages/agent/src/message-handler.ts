/**
 * @fileoverview What a server does with its clients' messages: users' to the conversations, registered ones to their
 * handlers.
 * @module agent/message-handler
 */
import { type UserMessage, USER_MESSAGES } from "./messages/built-in-messages.js";
import type { Connection } from "./socket/connection.js";
import type { Conversations } from "./conversation/conversations.js";
import type { MessageDefinition } from "./messages/define-message.js";
import { compileFrameCheck, type Frame } from "./messages/frames.js";
import type { ListenerHandler } from "./socket/listener.js";

/** What messages are answered by. */
export interface MessageHandlerParts {
  readonly messages: readonly MessageDefinition[];
  readonly conversations: Conversations;
  /** The text of a message that is to be sent. @throws where nobody would know it */
  readonly encode: (message: Frame) => Uint8Array;
}

/** Compiles the union of all messages, and finds for each what answers it. */
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
        frame.data as Readonly<Record<string, unknown>>, // the schema of this very message has accepted it
        (message) => void reply(message),
      );
    },
  };
}

const USER_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  USER_MESSAGES.map(({ shape }) => shape.type.value),
);

/** The check before this one has held it against the schema of its type. */
function isUserMessage(frame: Frame): frame is UserMessage {
  return USER_TYPES.has(frame.type);
}
