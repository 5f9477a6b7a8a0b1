/**
 * @fileoverview User messages with files: their form for the model, for clients, and for the log.
 * @module agent/conversation/user-input
 */
import { encodeUtf8 } from "@tenon/internal/utf8";
import { clean } from "@tenon/internal/security/safe-text";
import type { UserMessage } from "../messages/built-in-messages.js";
import type { ContentPart, ModelMessage } from "../models/model-port.js";
import type { TaskEntry } from "../storage/task-entry.js";

/** Text and files from a user. */
export type UserInput = Omit<Extract<UserMessage, { readonly type: "userSendMessage" }>["data"], "taskId">;

/** Creates the log entry for a user's message. The content of files is stored once, with the message for the model. */
export function toUserEntry(
  input: UserInput,
  { taskId, updateTime }: { taskId: string; updateTime: number },
): TaskEntry {
  const { message, files = [], messageId } = input;
  const parts = files.map(({ mediaType, data, name }): ContentPart => {
    const type = mediaType.startsWith("image/") ? "image" : "file";
    return { type, mediaType, data, name };
  });
  const model: ModelMessage = { role: "user", content: message, ...(parts.length > 0 && { parts }) };
  const shown = {
    message,
    ...(files.length > 0 && { files: files.map(withoutContent) }),
    messageId,
    taskId,
    updateTime,
  };
  return { shown: { type: "userSendMessage", data: shown }, model, status: "streaming" };
}

/** Returns the approximate size of a message in the log, in bytes. Files are base64, which has one byte per character. */
export function sizeOfInput({ message, files = [] }: UserInput): number {
  // The text is stored twice: for clients and for the model.
  return files.reduce((sum, { data }) => sum + data.length, 2 * encodeUtf8(message).length);
}

/** Returns a message without the content of its files. Acknowledgments repeat messages in this form. */
export function withoutFiles(message: UserMessage): UserMessage {
  if (message.type !== "userSendMessage" || message.data.files === undefined) return message;
  const files = message.data.files.map((file) => ({ ...withoutContent(file), data: "" }));
  return { ...message, data: { ...message.data, files } };
}

function withoutContent({ mediaType, name }: { mediaType: string; name?: string | undefined }) {
  return { mediaType, name };
}

/** Returns the title for a task: the first line that is not blank, truncated to 80 characters. */
export function toTitle(text: string): string {
  const [line = ""] = text
    .trimStart()
    .slice(0, 4 * MAX_TITLE)
    .split("\n");
  // Don't split a surrogate pair.
  return (
    clean(line)
      .slice(0, MAX_TITLE)
      .replace(/[\ud800-\udbff]$/, "")
      .trim() || "Untitled"
  );
}

const MAX_TITLE = 80;
