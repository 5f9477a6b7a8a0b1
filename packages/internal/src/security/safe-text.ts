/**
 * @fileoverview What may be told of an error from anywhere: one bounded text, without stack, control characters or
 * credentials.
 * @module internal/security/safe-text
 */

/** The text of anything that was thrown, fit for a client. */
export function safeMessage(error: unknown): string {
  const text = clean(withoutStack(messageOf(error)));
  return text === "" ? UNKNOWN : text;
}

/** The same for the operator, on one line: with its name, its stack and what caused it. */
export function safeReport(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth++) {
    const stack = read(current, "stack");
    const text = typeof stack === "string" && stack !== "" ? stack : messageOf(current);
    parts.push(redact(text.slice(0, MAX_REPORT)).replace(/[\s\p{Cc}]+/gu, " "));
    current = read(current, "cause");
  }
  return parts.join(" | caused by ").trim() || UNKNOWN;
}

/** Text that may be shown: bounded, without control characters and credentials. */
export function clean(text: string): string {
  const plain = redact(text.slice(0, MAX_READ)).replace(/[^\P{Cc}\n\t]/gu, "");
  // A cut must not leave half a character behind.
  const cut = plain.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, "");
  return (plain.length > MAX_MESSAGE ? `${cut}…` : plain).trim();
}

/** A member of anything, or nothing where it has none or refuses to be read. */
export function read(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key]; // whatever is there is looked at before use
  } catch {
    return undefined;
  }
}

const UNKNOWN = "Unknown error";
const MAX_MESSAGE = 1_000;
const MAX_READ = 4 * MAX_MESSAGE;
const MAX_REPORT = 8_000;
const MAX_CAUSES = 5;

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  const message = read(error, "message");
  if (typeof message === "string") return message;
  const isPlain = typeof error === "number" || typeof error === "boolean" || typeof error === "bigint";
  return isPlain ? String(error) : "";
}

/** Some put the stack into the message: from its first frame on, nothing is told. */
function withoutStack(message: string): string {
  const text = message.slice(0, MAX_READ);
  const frame = /(?:^|\n)[ \t]{1,20}at (?=\S)/.exec(text);
  return frame === null ? text : text.slice(0, frame.index);
}

/** Takes out what looks like a credential: errors of HTTP clients and databases like to quote them. */
function redact(text: string): string {
  return CREDENTIALS.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);
}

const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w+/.~=-]{6,}/gi, "$1 ***"],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g, "***"],
  [/(:\/\/[^\s/:@]{0,200}):[^\s/@]{1,200}@/g, "$1:***@"],
  [
    /\b([\w-]{0,40}?(?:token|secret|password|passwd|pwd|api[_-]?key|authorization|code_verifier)["']?\s?[=:]\s?["']?)[^\s"'&,;}]+/gi,
    "$1***",
  ],
  [/\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}/g, "***"],
];
