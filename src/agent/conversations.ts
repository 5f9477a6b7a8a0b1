/**
 * @fileoverview What answers the messages of users. Without a model there is nothing to converse with, and every one of
 * them is told so.
 * @module agent/conversations
 */
import { randomUUID } from "node:crypto";
import type { ServerMessage, UserMessage } from "./built-in-messages.js";

/** Sends one of the built-in messages; false where the client is gone. */
export type Say = (message: ServerMessage) => boolean;

/** What answers users. */
export interface Conversations {
  /** A client has connected. */
  open(say: Say): void;
  /** A client has sent a message, which was checked. */
  handle(message: UserMessage, say: Say): void | Promise<void>;
}

/** No conversations: messages fail with a reason that a user understands. */
export function createNoConversations(reason: string, now: () => number = Date.now): Conversations {
  return {
    open(say) {
      say({ type: "connected", data: { message: "Connected", updateTime: now() } });
      say({ type: "sessionHistories", data: { sessionHistories: [] } });
    },
    handle(message, say) {
      const taskId = message.data.taskId || randomUUID();
      const updateTime = now();
      say({ type: "ack", data: { taskId, targetMessage: message, status: "failed", updateTime } });
      const text = message.type === "userSendMessage" ? reason : `There is no task '${taskId}'`;
      say({ type: "error", data: { message: text, updateTime } });
    },
  };
}
