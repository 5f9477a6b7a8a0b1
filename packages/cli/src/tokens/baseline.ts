/**
 * @fileoverview Compares a report with one that `tenon tokens --json` wrote earlier.
 * @module cli/tokens/baseline
 */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { TokenReport } from "./measure.js";

/** Stored report. */
export interface Baseline {
  /** File, as the user wrote it. */
  readonly file: string;
  readonly total: number;
  /** Tokens by tool. */
  readonly tools: ReadonlyMap<string, number>;
  readonly encoding: string;
  readonly view: string;
}

/** Difference between two reports. */
export interface Comparison {
  readonly file: string;
  readonly before: number;
  readonly after: number;
  /** Tools whose cost changed, in alphabetical order. */
  readonly tools: readonly ToolChange[];
}

/** Change of a tool's cost. `null` means that the tool did not exist. */
export interface ToolChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** Reads a stored report. @throws {CliError} if the file cannot be read or is not a report */
export async function readBaseline(file: string, cwd: string): Promise<Baseline> {
  const path = resolve(cwd, file);
  const label = `"${oneLine(file, 200)}"`;
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true)
    throw cliError(`Could not read ${label}. Create it with: tenon tokens … --json > ${oneLine(file, 200)}`);
  if (found.size > MAX_BYTES)
    throw cliError(`${label} is too large for a report (limit: ${MAX_BYTES / 2 ** 20} MiB).`);
  const baseline = parseBaseline(file, await readFile(path, "utf8"));
  if (baseline !== undefined) return baseline;
  throw cliError(`${label} is not a report from tenon tokens --json.`);
}

/** Compares a report with a baseline. @throws {CliError} if they cannot be compared */
export function compareReports(baseline: Baseline, report: TokenReport): Comparison {
  for (const member of ["encoding", "view"] as const) {
    if (baseline[member] === report[member]) continue;
    throw cliError(
      `"${oneLine(baseline.file, 200)}" has a different ${member} ("${oneLine(baseline[member], 80)}") ` +
        `than this count ("${oneLine(report[member], 80)}"). Count both in the same way.`,
    );
  }
  const after = new Map(report.tools.map(({ name, tokens }) => [name, tokens]));
  const names = [...new Set([...baseline.tools.keys(), ...after.keys()])].toSorted();
  return {
    file: baseline.file,
    before: baseline.total,
    after: report.total,
    tools: names
      .map((name) => ({ name, before: baseline.tools.get(name) ?? null, after: after.get(name) ?? null }))
      .filter((change) => change.before !== change.after),
  };
}

const MAX_BYTES = 64 * 2 ** 20;

function parseBaseline(file: string, text: string): Baseline | undefined {
  const report = readJson(text.replace(/^\ufeff/, "")); // PowerShell writes a byte order mark
  if (!isJsonObject(report)) return undefined;
  const { total, tools, encoding, view } = report;
  if (!isCount(total) || !Array.isArray(tools) || typeof encoding !== "string" || typeof view !== "string")
    return undefined;
  const costs = (tools as readonly unknown[]).filter(isToolCost);
  if (costs.length !== tools.length) return undefined;
  return { file, total, encoding, view, tools: new Map(costs.map(({ name, tokens }) => [name, tokens])) };
}

function isToolCost(
  value: unknown,
): value is JsonObject & { readonly name: string; readonly tokens: number } {
  return isJsonObject(value) && typeof value["name"] === "string" && isCount(value["tokens"]);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0; // Safe: it is an integer
}
