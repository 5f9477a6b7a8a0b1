/**
 * @fileoverview Shortens a conversation that is too long for the model. The first message and the latest messages are
 * kept.
 * @module agent/conversation/fit-context
 */
import type { ModelMessage } from "../../models/model-port.js";

/**
 * Omits the oldest messages until the remaining ones have at most `max` characters in total. A tool result stays with
 * its call.
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
  if (start === kept.length) return messages; // nothing can be omitted
  const note = `[earlier messages omitted: ${start - kept.length}]`;
  return [...kept, { role: "user", content: note }, ...messages.slice(start)];
}

function isResult(message: ModelMessage | undefined): boolean {
  return message?.role === "tool";
}

function sizeOf(message: ModelMessage): number {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.content.length);
}
