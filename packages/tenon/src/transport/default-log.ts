/**
 * @fileoverview Log sink for servers that were built without `log`: prints unexpected failures, so that they are never
 * silent.
 * @module transport/default-log
 */
import { kindOf } from "@tenon/internal/kind-of";
import { systemPorts } from "@tenon/internal/ports";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { read } from "@tenon/internal/security/safe-text";
import { printable } from "@tenon/internal/text";
import type { LogEntry, LogSink } from "../core/wire/log.js";

/**
 * Creates a sink that prints each error entry with its stack and causes. Secrets and control characters are removed.
 *
 * @param print writes one entry, which ends with a line break
 */
export function createDefaultLog(
  print: (text: string) => void,
  now: () => number = systemPorts.now,
): LogSink {
  let windowStart = -Infinity;
  let printed = 0;
  let dropped = 0;
  return (entry) => {
    if (entry.level !== "error") return;
    const time = now();
    if (time >= windowStart + WINDOW_MS) {
      if (dropped > 0) print(`[tenon] Failures not printed: ${dropped}.\n`);
      windowStart = time;
      printed = 0;
      dropped = 0;
    }
    if (printed < MAX_PRINTED) {
      printed++;
      print(describeFailure(entry));
    } else {
      dropped++;
    }
  };
}

/** Writes text to standard error. */
export function printToStderr(text: string): void {
  process.stderr.write(text);
}

/** Writes text with `console.error`, which every runtime has. */
export function printToConsole(text: string): void {
  // oxlint-disable-next-line no-console -- the operator must see it, and the runtime may have no other output
  console.error(text.trimEnd());
}

/** Limit that stops a client from filling the log with a tool that fails on every call. */
const MAX_PRINTED = 100;
const WINDOW_MS = 10_000;

/** Maximum length of one entry in characters. */
const MAX_LENGTH = 8_192;
const MAX_CAUSES = 5;

type Failure = Extract<LogEntry, { readonly level: "error" }>;

const SUBJECTS: Readonly<Record<string, string>> = {
  "tools/call": "Tool",
  "resources/read": "Resource",
  "prompts/get": "Prompt",
  tasks: "Tool",
};

const VERBS: Readonly<Record<Failure["event"], string>> = {
  "handler-failed": "failed",
  "output-invalid": "returned an invalid result",
  "notify-failed": "could not send a notification",
  "state-failed": "could not encrypt its state",
  "store-failed": "could not use its store",
  "task-failed": "could not run a task",
};

let redact: ((text: string) => string) | undefined;

function describeFailure({ operation, name, event, error }: Failure): string {
  const subject = `${SUBJECTS[operation] ?? printable(operation)} "${printable(name)}"`;
  redact ??= createTextRedactor({ limit: MAX_LENGTH });
  const text = redact(`${subject} ${VERBS[event]}: ${describeThrown(error)}`)
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trimEnd();
  // Indented, so that a line break in an error message cannot start a new entry.
  return `[tenon] ${text.replace(/\n(?! )/g, "\n    ")}\n`;
}

/** Describes a thrown value and its causes, each with its stack. */
function describeThrown(thrown: unknown): string {
  const parts: string[] = [];
  let current = thrown;
  while (parts.length < MAX_CAUSES) {
    parts.push(describeOne(current));
    const cause = read(current, "cause");
    if (cause === undefined || cause === null) break;
    current = cause;
  }
  return parts.join("\n  caused by: ");
}

function describeOne(thrown: unknown): string {
  const stack = read(thrown, "stack");
  const message = read(thrown, "message");
  const text = typeof message === "string" ? message : "";
  if (typeof stack === "string" && stack !== "") return stack.includes(text) ? stack : `${text}\n${stack}`;
  if (text !== "") return text;
  const isPlain = ["string", "number", "boolean", "bigint"].includes(typeof thrown);
  return isPlain ? `${thrown as string | number}` : `${kindOf(thrown)} was thrown`;
}
