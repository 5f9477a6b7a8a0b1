/**
 * @fileoverview Prints the outcome of an installation or a removal, without secrets.
 * @module cli/install/outcome
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { oneLine, stripControls } from "@tenon/internal/text";
import { isJsonObject } from "@tenon/internal/json";
import { isJsonOutput, type OutputFlags, printJson } from "../define-command.js";
import type { Client } from "./clients.js";
import { renderDiff } from "./diff.js";
import { type Plan, redactEntry } from "./plan.js";
import type { Scope } from "./types.js";

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
