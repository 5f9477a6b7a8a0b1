/**
 * @fileoverview Prints the outcome of an installation or a removal, and the diff of a dry run, without secrets.
 * @module cli/install/outcome
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { oneLine, stripControls } from "@tenon/internal/text";
import { isJsonObject } from "@tenon/internal/json";
import { isJsonOutput, type OutputFlags, printJson } from "../define-command.js";
import type { Client } from "./clients.js";
import { type Plan, redactEntry } from "./plan.js";
import type { Scope } from "./types.js";
import { createTextRedactor } from "@tenon/internal/security/redact-text";

/** Result of a command. */
export interface Outcome {
  readonly client: Client;
  readonly name: string;
  /** `undefined` if the user chose the file. */
  readonly scope: Scope | undefined;
  readonly file: string;
  readonly plan: Plan;
  /** True if the file exists before the change. */
  readonly hadFile: boolean;
  readonly isDryRun: boolean;
  readonly backup: string | undefined;
  /** Remarks for the user. */
  readonly notes: readonly string[];
}

/** Prints an outcome as JSON or text. Results go to standard output, remarks to standard error. */
export function printOutcome(
  outcome: Outcome,
  flags: OutputFlags,
  terminal: Pick<Terminal, "stdout" | "stderr">,
): void {
  if (isJsonOutput(flags)) printAsJson(outcome, terminal);
  else printAsText(outcome, terminal);
}

function printAsText(outcome: Outcome, { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">): void {
  const { plan, isDryRun, backup, notes } = outcome;
  const isChanged = plan.action !== "unchanged";
  if (isDryRun && isChanged) {
    stdout.write(diffOf(outcome) || "Only values of environment variables or headers change.\n");
  } else {
    stdout.write(`${headline(outcome)}\n`);
    if (plan.action === "added" || plan.action === "replaced") stdout.write(`${showEntry(plan.entry)}\n`);
  }
  if (isDryRun) stderr.write("This was a dry run. Nothing was written.\n");
  for (const note of notes) stderr.write(`${oneLine(note, 1_000)}\n`);
  if (backup !== undefined) stderr.write(`Backup: ${oneLine(backup, 1_000)}\n`);
  if (isChanged && !isDryRun) stderr.write(`Next step: ${nextStepOf(outcome)}\n`);
}

function printAsJson(outcome: Outcome, terminal: Pick<Terminal, "stdout" | "stderr">): void {
  const { client, name, scope, file, plan, isDryRun, backup, notes } = outcome;
  const { action, entry } = plan;
  const isChanged = action !== "unchanged";
  const result = {
    client: client.name,
    name,
    scope: scope ?? null,
    file,
    action,
    dryRun: isDryRun,
    backup: backup ?? null,
    entry: isJsonObject(entry) ? redactEntry(entry) : null,
    ...(isDryRun ? { diff: diffOf(outcome) } : {}),
    nextStep: isChanged ? nextStepOf(outcome) : null,
  };
  for (const note of notes) terminal.stderr.write(`${oneLine(note, 1_000)}\n`);
  printJson(result, terminal);
}

function diffOf({ file, plan, hadFile }: Outcome): string {
  const { before, after } = plan.redacted;
  return renderDiff({ path: file, before: hadFile ? before : undefined, after });
}

function nextStepOf({ client, plan, scope }: Outcome): string {
  const isRemoved = plan.action === "removed" && client.name !== "json";
  return isRemoved ? `Restart ${client.title}.` : client.nextStep(scope ?? "user");
}

function headline({ client, name, file, plan }: Outcome): string {
  const [shown, where] = [`"${oneLine(name, 200)}"`, `${client.title}: ${oneLine(file, 1_000)}`];
  switch (plan.action) {
    case "added":
      return `Added ${shown} to ${where}`;
    case "replaced":
      return `Replaced ${shown} in ${where}`;
    case "removed":
      return `Removed ${shown} from ${where}`;
    case "unchanged":
      return plan.entry === undefined
        ? `Nothing to remove: no server named ${shown} in ${where}`
        : `Nothing to change: ${shown} is already in ${where}`;
  }
}

function showEntry(entry: unknown): string {
  return isJsonObject(entry) ? stripControls(JSON.stringify(redactEntry(entry), null, 2)) : "";
}

/** Redacted texts of a file before and after a change. */
interface Change {
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Renders the lines that a change removes and adds, in the unified format. Other lines are not shown, because a
 * configuration file may contain secrets anywhere.
 */
export function renderDiff({ path, before, after }: Change): string {
  const [old, now] = [toLines(before ?? ""), toLines(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  if (removed.length === 0 && added.length === 0) return "";
  const shown = createTextRedactor({ limit: MAX_LINE });
  return [
    `--- ${before === undefined ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ -${rangeOf(start, removed)} +${rangeOf(start, added)} @@`,
    ...removed.map((line) => `-${stripControls(shown(line))}`),
    ...added.map((line) => `+${stripControls(shown(line))}`),
    "",
  ].join("\n");
}

/** Maximum length of a shown line. */
const MAX_LINE = 400;

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Formats a range: the first line, counted from 1, and the number of lines. An empty range names the line before it. */
function rangeOf(start: number, lines: readonly string[]): string {
  return `${lines.length === 0 ? start : start + 1},${lines.length}`;
}
