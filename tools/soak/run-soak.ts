/**
 * @fileoverview Runs the soak test: a warm-up, and then periods of mixed load on all transports. After each period, the
 * load stops, and every server process is measured at rest.
 * @module tools/soak/run-soak
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundlePrograms } from "../bundle-programs.js";
import { type Figure, printFigures } from "../figures.js";
import type { Break } from "./breaks.js";
import { judgeClients, judgeCounts, judgeHeap, type ProcessSamples, type Sample } from "./judge.js";
import type { Reading } from "./probe.js";
import type { LoadPlan, Mode } from "./protocol.js";
import type { ServerProcess } from "./server-process.js";
import { ACTIVITIES_OF, type Target, TARGETS } from "./targets.js";
import { Tally } from "./tally.js";

/** Options of the test. */
export interface SoakOptions {
  /** Duration, including the warm-up. Ignored in the short form. */
  readonly minutes: number;
  readonly isShort: boolean;
  /** Determines the random choices. */
  readonly seed: number;
  /** Names of the only transports to test. */
  readonly only: readonly string[];
  /** Deliberate faults of the servers. */
  readonly breaks: readonly Break[];
  readonly print: (line: string) => void;
}

/** Times of a run in milliseconds. */
interface Schedule {
  readonly warmUpMs: number;
  /** Time after the warm-up. The last period may end later. */
  readonly measuredMs: number;
  /** Length of one period of load. */
  readonly loadMs: number;
  /** Longest time until the servers are at rest. */
  readonly restMs: number;
  readonly hangMs: number;
  readonly clients: number;
}

/** Time in milliseconds until sessions have expired and finished tasks are deleted. */
const EXPIRY_MS = 5_500;

/** Time in milliseconds between the starts of two periods in the full test. */
const PERIOD_MS = 30_000;

/** Number of conversations in the warm-up. The agent server caches 256 of them. */
const CONVERSATIONS = 300;

/** Runs the test. Returns true if all limits hold. */
export async function runSoak(options: SoakOptions): Promise<boolean> {
  const { seed, breaks, print } = options;
  const modes = readModes(options.only);
  const schedule = toSchedule(options);
  print(`Seed ${seed}. Repeat with: npm run soak -- --seed ${seed}`);
  if (breaks.length > 0) print(`Deliberate faults: ${breaks.join(", ")}. The test must fail.`);
  const folder = mkdtempSync(join(tmpdir(), "tenon-soak-"));
  const targets: Target[] = [];
  const tally = new Tally();
  let figures: readonly Figure[];
  try {
    await bundlePrograms(["tools/soak/process.ts"], folder);
    targets.push(...(await Promise.all(modes.map((mode) => TARGETS[mode]({ folder, breaks })))));
    const processes = await measure(targets, schedule, { ...options, tally });
    const expected = new Set(modes.flatMap((mode) => ACTIVITIES_OF[mode]));
    figures = [...judgeClients(tally, expected), ...processes.map(judgeHeap), ...judgeCounts(processes)];
    if (figures.some(({ holds }) => !holds)) explain(tally, processes, print);
  } finally {
    await Promise.all(processesOf(targets).map(([, server]) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  return printFigures(figures, print);
}

function readModes(only: readonly string[]): readonly Mode[] {
  const all = Object.keys(TARGETS) as Mode[]; // Safe: the keys of the table
  const unknown = only.filter((name) => !all.some((mode) => mode === name));
  if (unknown.length > 0)
    throw new TypeError(`--only must be one of ${all.join(", ")}; got ${unknown.join(", ")}.`);
  return all.filter((mode) => only.length === 0 || only.includes(mode));
}

function toSchedule({ minutes, isShort, breaks }: SoakOptions): Schedule {
  // A dropped response is found sooner if the test waits for it anyway.
  const hangMs = breaks.includes("reply") ? 3_000 : 120_000;
  const restMs = breaks.length > 0 ? EXPIRY_MS + 3_000 : 120_000;
  if (isShort) {
    const loadMs = breaks.length > 0 ? 3_000 : 5_000;
    return { warmUpMs: loadMs, measuredMs: loadMs, loadMs, restMs, hangMs, clients: 2 };
  }
  const warmUpMs = Math.max(PERIOD_MS, minutes * 6_000);
  const measuredMs = minutes * 60_000 - warmUpMs;
  return { warmUpMs, measuredMs, loadMs: PERIOD_MS - EXPIRY_MS - 1_500, restMs, hangMs, clients: 4 };
}

type Measuring = Pick<SoakOptions, "seed" | "print"> & { readonly tally: Tally };

/** Runs the load, and measures all processes after the warm-up and after each period. */
async function measure(
  targets: readonly Target[],
  schedule: Schedule,
  { seed, print, tally }: Measuring,
): Promise<readonly ProcessSamples[]> {
  const { warmUpMs, measuredMs, loadMs, restMs, hangMs, clients } = schedule;
  const start = performance.now();
  const minute = () => (performance.now() - start) / 60_000;
  const load = async (ms: number, period: number, conversationMs: number) => {
    const plan: LoadPlan = { ms, seed: seed + period, clients, hangMs };
    await Promise.all(targets.map((target) => target.load({ ...plan, conversationMs }, tally)));
  };
  const servers = processesOf(targets);
  await load(warmUpMs, 0, warmUpMs / CONVERSATIONS);
  const all = await Promise.all(
    servers.map(async ([name, server]) => ({
      name,
      server,
      baseline: await readBaseline(server),
      samples: [] as Sample[],
    })),
  );
  print(`${minute().toFixed(1)} min: warm-up ended. ${describe(tally, all)}`);
  const end = performance.now() + measuredMs;
  for (let period = 1; performance.now() < end; period++) {
    await load(loadMs, period, 1_000);
    await Promise.all(
      all.map(async ({ server, baseline, samples }) => {
        const reading = await readAtRest(server, baseline, restMs);
        samples.push({ minute: minute(), reading });
      }),
    );
    print(`${minute().toFixed(1)} min: ${describe(tally, all)}`);
  }
  return all;
}

/** Measures a process after its sessions and tasks have expired, when its counts no longer change. */
async function readBaseline(server: ServerProcess): Promise<Reading> {
  await sleep(EXPIRY_MS);
  for (let previous = await server.read(), attempt = 0; ; attempt++) {
    await sleep(500);
    const reading = await server.read();
    const isSame = JSON.stringify(reading.counts) === JSON.stringify(previous.counts);
    const isAtRest = isSame && (reading.counts["running handlers"] ?? 0) === 0;
    if (isAtRest || attempt === MAX_READINGS) return reading;
    previous = reading;
  }
}

const MAX_READINGS = 60;

/** Measures a process until no count exceeds the baseline, or until the time is over. */
async function readAtRest(server: ServerProcess, baseline: Reading, restMs: number): Promise<Reading> {
  const end = performance.now() + restMs;
  await sleep(EXPIRY_MS);
  for (;;) {
    const reading = await server.read();
    const isAtRest = Object.entries(reading.counts).every(
      ([kind, count]) => count <= (baseline.counts[kind] ?? 0),
    );
    if (isAtRest || performance.now() > end) return reading;
    await sleep(500);
  }
}

function processesOf(targets: readonly Target[]): readonly (readonly [string, ServerProcess])[] {
  return targets.flatMap(({ processes }) => Object.entries(processes));
}

function describe(tally: Tally, processes: readonly ProcessSamples[]): string {
  const heaps = processes.map(({ name, baseline, samples }) => {
    const { heapBytes } = samples.at(-1)?.reading ?? baseline;
    return `${name} ${(heapBytes / 1_000_000).toFixed(2)} MB`;
  });
  const requests = tally.count("requests").toLocaleString("en-US");
  const left = judgeCounts(processes)
    .filter(({ holds }) => !holds)
    .map(({ name, value }) => `; ${name}: ${value}`);
  return `${requests} requests, ${tally.failed} failures; heap: ${heaps.join(", ")}${left.join("")}`;
}

/** Prints everything that helps to find the cause of a failure. */
function explain(tally: Tally, processes: readonly ProcessSamples[], print: (line: string) => void): void {
  for (const failure of tally.data.failures) print(`failure: ${failure}`);
  for (const { name, baseline, samples } of processes) {
    const last = samples.at(-1)?.reading ?? baseline;
    print(`${name} after the warm-up: ${JSON.stringify(baseline.counts)} ${baseline.details}`);
    print(`${name} at the end: ${JSON.stringify(last.counts)} ${last.details}`);
  }
}
