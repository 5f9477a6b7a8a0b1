/**
 * @fileoverview Runs the parts of the fuzz test one after the other, and prints one table.
 * @module tools/fuzz/run-fuzz
 */
import { type Figure, Figures, toTable } from "../figures.js";
import { PROMISES, type PromiseName } from "./block.js";
import { Findings } from "./findings.js";
import { PARTS, type Scale } from "./parts.js";
import { TargetPool } from "./targets/pool.js";
import { startWatchdog } from "./watchdog.js";

/** Options of a run. */
export interface FuzzOptions extends Scale {
  /** True for the form that the tests use: times have no limits, and failing inputs are not saved. */
  readonly isShort: boolean;
  /** Name of the only part to run. */
  readonly only: string | undefined;
  readonly print: (line: string) => void;
}

/** Maximum time in seconds for the full run. */
const MAX_SECONDS = 1_200;

/** Runs the parts. Returns true if all promises hold. @throws if `only` is not the name of a part */
export async function runFuzz(options: FuzzOptions): Promise<boolean> {
  const { isShort, only, seed, print } = options;
  const names = Object.keys(PARTS);
  if (only !== undefined && !names.includes(only))
    throw new TypeError(`--only must be one of ${names.join(", ")}; got ${only}.`);
  print(`Seed ${seed}. Repeat with: npm run fuzz -- --seed ${seed}`);
  const start = performance.now();
  const figures: Figure[] = [];
  const findings = new Findings(print, !isShort);
  const onError = (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    findings.add("process", [{ promise: "crash", text: `Uncaught: ${text}` }]);
  };
  process.on("uncaughtException", onError).on("unhandledRejection", onError);
  const stopWatchdog = startWatchdog();
  const pool = new TargetPool();
  try {
    for (const name of only === undefined ? names : [only])
      figures.push(...(await runPart(name, options, { pool, findings })));
  } finally {
    await pool.closeAll();
    await stopWatchdog();
    process.off("uncaughtException", onError).off("unhandledRejection", onError);
  }
  figures.push(...promiseFigures(findings, { seconds: (performance.now() - start) / 1_000, isShort }));
  print(`\n${toTable(figures)}`);
  const failures = figures.filter(({ holds }) => !holds).length;
  print(failures === 0 ? "All promises hold." : `Promises and limits that do not hold: ${failures}.`);
  return failures === 0;
}

async function runPart(
  name: string,
  { isShort, print, ...scale }: FuzzOptions,
  shared: { readonly pool: TargetPool; readonly findings: Findings },
): Promise<readonly Figure[]> {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1_000).toFixed(1)} s`;
  const figures = new Figures(name, !isShort);
  const timed = (line: string) => print(`${line} (${elapsed()})`);
  try {
    await PARTS[name]?.run({ ...shared, scale, figures, print: timed }, name);
  } catch (error) {
    print(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    figures.exactly("errors of the part", 1, 0);
  }
  print(`${name}: ended after ${elapsed()}`);
  return figures.all;
}

function promiseFigures(
  findings: Findings,
  { seconds, isShort }: { readonly seconds: number; readonly isShort: boolean },
): readonly Figure[] {
  const figures = new Figures("all", !isShort);
  for (const [promise, title] of Object.entries(PROMISES))
    figures.exactly(title, findings.count(promise as PromiseName), 0); // Safe: the keys of the table
  figures.within("time", seconds * 1_000, MAX_SECONDS * 1_000);
  return figures.all;
}
