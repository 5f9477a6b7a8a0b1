/**
 * @fileoverview Results of the official examples on Tenon, and their table.
 * @module tools/official-examples/report
 */
import type { Diagnostics } from "./type-check.js";

/** Result of an example. Without reasons, the example compiles and runs as the unmodified one does. */
export interface ExampleResult {
  readonly name: string;
  /** Names that Tenon provides. */
  readonly moved: readonly string[];
  /** Reasons that the example does not compile. */
  readonly compileErrors: readonly string[];
  /** Reasons that the example does not run. */
  readonly runErrors: readonly string[];
  /** Reason that the example was not run, such as a missing network. Not a failure. */
  readonly skipped?: string;
}

/** Examples to run, and a listener for their results. */
export interface RunRequest {
  /** Absolute path to a checkout of the official repository. */
  readonly checkout: string;
  /** Name of a single example. */
  readonly only: string | undefined;
  /** Called after each example. */
  readonly onResult: (result: ExampleResult) => void;
}

/** Returns true if the example does not compile or does not run. */
export function isFailed({ compileErrors, runErrors }: ExampleResult): boolean {
  return compileErrors.length + runErrors.length > 0;
}

/** Returns the diagnostics of a rewritten example that the unmodified one does not have. */
export function newDiagnostics(diagnostics: Diagnostics, tenon: string, official: string): readonly string[] {
  const known = diagnostics.get(official) ?? [];
  return (diagnostics.get(tenon) ?? []).filter((one) => !known.includes(one));
}

/** Returns the names of the examples to run. @throws if none has the wanted name */
export function selectNames(known: readonly string[], only: string | undefined): readonly string[] {
  if (only === undefined) return known;
  if (known.includes(only)) return [only];
  throw new Error(`There is no example "${only}". Examples: ${known.join(", ")}.`);
}

/** Formats results as a table, with the reasons below each row. */
export function formatResults(results: readonly ExampleResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length), "example".length);
  const row = (name: string, compiles: string, runs: string, rest: string) =>
    `${name.padEnd(width)}  ${compiles.padEnd(8)}  ${runs.padEnd(7)}  ${rest}`.trimEnd();
  const lines = results.flatMap(({ name, moved, compileErrors, runErrors, skipped }) => [
    row(
      name,
      compileErrors.length === 0 ? "yes" : "no",
      runErrors.length > 0 ? "no" : skipped === undefined ? "yes" : "not run",
      moved.join(", "),
    ),
    ...(skipped === undefined ? [] : [`    ${skipped}`]),
    ...compileErrors.map((reason) => `    line ${indent(reason)}`),
    ...runErrors.map((reason) => `    ${indent(reason)}`),
  ]);
  const failed = results.filter(isFailed).length;
  const notRun = results.filter(({ skipped }) => skipped !== undefined).length;
  const summary = `${results.length - failed} of ${results.length} examples passed, ${notRun} of them only compiled`;
  return [row("example", "compiles", "runs", "from Tenon"), ...lines, "", summary].join("\n");
}

function indent(text: string): string {
  return text.slice(0, MAX_REASON).replaceAll("\n", "\n      ");
}

const MAX_REASON = 1_500;
