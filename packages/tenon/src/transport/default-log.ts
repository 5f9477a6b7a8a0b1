/**
 * @fileoverview Log sink for servers that were built without `log`: prints unexpected failures, so that they are never
 * silent.
 * @module tenon/transport/default-log
 */
import { kindOf } from "@tenon/internal/kind-of";
import { systemPorts } from "@tenon/internal/ports";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { read } from "@tenon/internal/security/safe-text";
import { printable, printableLine } from "@tenon/internal/text";
import type { LogEntry, LogSink } from "../core/wire/log.js";

/**
 * Creates a sink that prints warnings, and errors with their stack and causes. Secrets and control characters are
 * removed.
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
    if (entry.level === "info") return;
    const time = now();
    if (time >= windowStart + WINDOW_MS) {
      if (dropped > 0) print(toLogLine(`Failures not printed: ${dropped}.`, time));
      windowStart = time;
      printed = 0;
      dropped = 0;
    }
    if (printed < MAX_PRINTED) {
      printed++;
      print(toLogLine(entry.level === "warning" ? entry.message : describeFailure(entry), time));
    } else {
      dropped++;
    }
  };
}

/** Returns a line of the log, with the time. */
export function toLogLine(text: string, time: number = systemPorts.now()): string {
  // Indented, so that a line break in an error message cannot start a new entry.
  return `${new Date(time).toISOString()} [tenon] ${text.replace(/\n(?! )/g, "\n    ")}\n`;
}

/** Writes text to standard error. */
export function printToStderr(text: string): void {
  protectStderr();
  process.stderr.write(text);
}

/** Prevents the end of the process if standard error is a file on a full disk, or a closed pipe. The text is lost. */
export function protectStderr(): void {
  const { stderr } = process;
  if (!stderr.listeners("error").includes(ignore)) stderr.on("error", ignore);
}

function ignore(): void {
  // There is no other place for the report.
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
  "state-failed": "could not encrypt or read its state",
  "store-failed": "could not use its store",
  "task-failed": "could not run a task",
};

let redact: ((text: string) => string) | undefined;

function describeFailure({ operation, name, event, error }: Failure): string {
  const subject = `${SUBJECTS[operation] ?? printable(operation)} "${printable(name)}"`;
  redact ??= createTextRedactor({ limit: MAX_LENGTH });
  // A stack says nothing about a store that cannot be reached.
  const reason =
    event === "store-failed" || isOutage(error) ? describeMessages(error) : describeThrown(error);
  return redact(`${subject} ${VERBS[event]}: ${reason}`)
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trimEnd();
}

/** Describes a thrown value and its causes, each with its stack. */
function describeThrown(thrown: unknown): string {
  return listCauses(thrown).map(describeOne).join("\n  caused by: ");
}

/** Describes a thrown value and its causes in one line. */
function describeMessages(thrown: unknown): string {
  const messages = listCauses(thrown).map((one) => {
    const message = read(one, "message");
    return printableLine(typeof message === "string" && message !== "" ? message : describeOne(one));
  });
  return [...new Set(messages)].join(" Cause: ");
}

/** Returns true for the error of a task engine that cannot be reached. */
function isOutage(thrown: unknown): boolean {
  return read(thrown, "name") === "TaskEngineError" && read(thrown, "code") === "unavailable";
}

function listCauses(thrown: unknown): readonly unknown[] {
  const causes = [thrown];
  for (let count = 1; count < MAX_CAUSES; count++) {
    const cause = read(causes.at(-1), "cause");
    if (cause === undefined || cause === null) break;
    causes.push(cause);
  }
  return causes;
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
