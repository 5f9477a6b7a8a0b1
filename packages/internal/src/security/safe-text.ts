/**
 * @fileoverview Turns thrown values into text that is safe to show: bounded, without control characters or credentials.
 * @module internal/security/safe-text
 */
import { createTextRedactor } from "./redact-text.js";

/** Returns a thrown value's message for clients: bounded, redacted, and without a stack. */
export function safeMessage(error: unknown): string {
  const text = clean(withoutStack(messageOf(error)));
  return text === "" ? UNKNOWN : text;
}

/** Describes a thrown value on one line for the operator: its name, message, and stack, and those of its causes. */
export function safeReport(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth++) {
    const stack = read(current, "stack");
    const text = typeof stack === "string" && stack !== "" ? stack : messageOf(current);
    parts.push(redactReport(text).replace(/[\s\p{Cc}]+/gu, " "));
    current = read(current, "cause");
  }
  return parts.join(" | caused by ").trim() || UNKNOWN;
}

/** Returns text that is safe to show: bounded, without control characters or credentials. */
export function clean(text: string): string {
  return redactMessage(text)
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim();
}

/** Reads a member of any value. Returns `undefined` if the member does not exist or reading it throws. */
export function read(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    // Safe: a missing key yields `undefined`, and callers check the type.
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

const UNKNOWN = "Unknown error";
const MAX_CAUSES = 5;
const redactMessage = /* @__PURE__ */ createTextRedactor({ limit: 1_000 });
const redactReport = /* @__PURE__ */ createTextRedactor({ limit: 8_000 });

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  const message = read(error, "message");
  if (typeof message === "string") return message;
  const isPlain = typeof error === "number" || typeof error === "boolean" || typeof error === "bigint";
  return isPlain ? String(error) : "";
}

/** Number of characters that are searched for stack frames. `clean` reads fewer characters of a message. */
const MAX_SEARCHED = 8_000;

/** Cuts a message at the first stack frame, because some libraries add the stack to the message. */
function withoutStack(message: string): string {
  const frame = /(?:^|\n)[ \t]{1,20}at (?=\S)/.exec(message.slice(0, MAX_SEARCHED));
  return frame === null ? message : message.slice(0, frame.index);
}
