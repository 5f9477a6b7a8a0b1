/**
 * @fileoverview Shortens a conversation that is too long for the model. The first message and the latest messages are
 * kept.
 * @module agent/conversation/context/fit-context
 */
import type { ContentPart, ModelMessage, ModelUsage } from "../../models/model-port.js";

/**
 * Omits the oldest messages until the remaining ones have at most `max` characters in total. A tool result stays with
 * its call. If the rest is still too long, the middle of its longest texts is omitted.
 */
export function fitContext(messages: readonly ModelMessage[], max: number): readonly ModelMessage[] {
  const sizes = messages.map(sizeOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= max) return messages;
  const [first] = messages;
  // The first message usually describes the task.
  const kept = first?.role === "user" && (sizes[0] ?? 0) < max / 4 ? [first] : [];
  let start = kept.length;
  while (start < messages.length - 1 && (total > max || isResult(messages[start]))) {
    total -= sizes[start] ?? 0;
    start++;
  }
  // Keep the last call and its results, even if they exceed the limit.
  while (start > kept.length && isResult(messages[start])) start--;
  if (start === kept.length) return shortenLongest(messages, max); // no message can be omitted
  const note: ModelMessage = { role: "user", content: `[earlier messages omitted: ${start - kept.length}]` };
  const rest = shortenLongest([...kept, ...messages.slice(start)], max - note.content.length);
  return [...rest.slice(0, kept.length), note, ...rest.slice(kept.length)];
}

/** Returns the length of a message for the model, in characters. */
export function sizeOf(message: ModelMessage): number {
  if (message.role === "system") return message.content.length;
  if (message.role === "assistant")
    return (message.calls ?? []).reduce((sum, call) => sum + call.arguments.length, message.content.length);
  return (message.parts ?? []).reduce((sum, part) => sum + partSize(part), message.content.length);
}

/** Returns the estimated length of a part. Providers count images and files differently. */
function partSize(part: ContentPart): number {
  if (part.type === "text") return part.text.length;
  return part.type === "image" ? IMAGE_SIZE : FILE_SIZE;
}

const IMAGE_SIZE = 6_000;
const FILE_SIZE = 20_000;

/** Estimates the tokens of a request and of the `written` characters of its response. */
export function estimateUsage(messages: readonly ModelMessage[], written = 0): ModelUsage {
  const length = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return {
    inputTokens: Math.ceil(length / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(written / CHARACTERS_PER_TOKEN),
  };
}

/** Characters per token, for models that do not report their usage. */
const CHARACTERS_PER_TOKEN = 4;

/** Shortens a text to about `max` characters by omitting its middle. */
export function omitMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.max(0, Math.floor(max / 2));
  // Lone surrogates at the cuts are replaced, because some providers reject them.
  const start = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, "");
  return `${start}\n[${text.length - start.length - end.length} characters omitted]\n${end}`;
}

/**
 * Shortens the longest texts until all messages together have about `max` characters. The model's own messages stay as
 * they are, because they can contain calls.
 */
function shortenLongest(messages: readonly ModelMessage[], max: number): readonly ModelMessage[] {
  const fixed = messages
    .filter((message) => !canShorten(message))
    .reduce((sum, message) => sum + sizeOf(message), 0);
  const lengths = messages.filter(canShorten).map(({ content }) => content.length);
  const limit = findLimit(lengths, max - fixed);
  return messages.map((message) =>
    canShorten(message) ? { ...message, content: omitMiddle(message.content, limit) } : message,
  );
}

/** Returns the largest limit for each text with which all texts together have at most `max` characters. */
function findLimit(lengths: readonly number[], max: number): number {
  const sorted = lengths.toSorted((one, other) => one - other);
  let left = Math.max(0, max);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function canShorten({ role }: ModelMessage): boolean {
  return role === "user" || role === "tool";
}

function isResult(message: ModelMessage | undefined): boolean {
  return message?.role === "tool";
}
