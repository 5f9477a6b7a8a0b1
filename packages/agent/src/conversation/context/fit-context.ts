/**
 * @fileoverview Shortens a long conversation for the model: the first message, a note, and as many of the latest
 * turns as fit.
 * @module agent/conversation/fit-context
 */
import type { ModelMessage } from "../../models/model-port.js";

/** Returns the messages, shortened to `max` characters. A tool result is never separated from its call. */
export function fitContext(messages: readonly ModelMessage[], max: number): readonly ModelMessage[] {
  const sizes = messages.map(sizeOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= max) return messages;
  const [first] = messages;
  // The first message usually states the task.
  const kept = first?.role === "user" && (sizes[0] ?? 0) < max / 4 ? [first] : [];
  let start = kept.length;
  while (start < messages.length - 1 && (total > max || isResult(messages[start]))) {
    total -= sizes[start] ?? 0;
    start++;
  }
  // The last turn is always included, even if it is too long.
  while (start > kept.length && isResult(messages[start])) start--;
  if (start === kept.length) return messages; // nothing can be left out
  const note = `[${start - kept.length} earlier messages were left out here]`;
  return [...kept, { role: "user", content: note }, ...messages.slice(start)];
}

function isResult(message: ModelMessage | undefined): boolean {
  return message?.role === "tool";
}

function sizeOf(message: ModelMessage): number {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.content.length);
}
