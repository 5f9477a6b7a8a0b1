/**
 * @fileoverview Measures the reloads of `tenon dev`, and prints the figures.
 * @module tools/reload/run-reload
 */
import { type Figure, Figures, percentile, printFigures } from "../figures.js";
import { measureLatency } from "./latency.js";
import { reloadUnderLoad } from "./load.js";
import { TRANSPORTS, type TransportName } from "./server-source.js";

/** Options for `runReload`. */
export interface ReloadOptions {
  /** Number of timed reloads for each transport. */
  readonly timed: number;
  /** Number of reloads under load for each transport. */
  readonly reloads: number;
  readonly transports?: readonly TransportName[];
  /** True if the limit for the time is checked. */
  readonly isTimed: boolean;
  readonly print: (line: string) => void;
}

/** Limit in milliseconds for the time from saving a file to `list_changed`. */
const LIMIT_MS = 200;
/** Limits for the program's memory, and for its processes: the current one, a spare, the compiler, and eight old ones. */
const LIMIT_MB = 64;
const MAX_PROCESSES = 11;

/** Measures all transports. Returns true if all limits hold. */
export async function runReload(options: ReloadOptions): Promise<boolean> {
  const figures: Figure[] = [];
  for (const transport of options.transports ?? TRANSPORTS) {
    if (options.timed > 0) figures.push(...(await runTimed(transport, options)));
    if (options.reloads > 0) figures.push(...(await runLoaded(transport, options)));
  }
  return printFigures(figures, options.print);
}

async function runTimed(
  transport: TransportName,
  { timed, isTimed, print }: ReloadOptions,
): Promise<readonly Figure[]> {
  print(`${transport}: ${timed} reloads, one at a time`);
  const times = await measureLatency(transport, timed);
  const figures = new Figures(`${transport}, save to list_changed`, isTimed);
  figures.note("reloads", times.length);
  figures.within("median", percentile(times, 0.5), LIMIT_MS);
  figures.within("p95", percentile(times, 0.95), LIMIT_MS);
  figures.note("maximum", `${Math.round(Math.max(...times))} ms`);
  return figures.all;
}

async function runLoaded(
  transport: TransportName,
  { reloads, isTimed, print }: ReloadOptions,
): Promise<readonly Figure[]> {
  print(`${transport}: ${reloads} reloads under load`);
  const outcome = await reloadUnderLoad(transport, reloads);
  for (const lost of outcome.lost.slice(0, 10)) print(`  lost: ${lost}`);
  const figures = new Figures(`${transport}, under load`, isTimed);
  figures.exactly("reloads that every client was notified of", outcome.notifications, reloads);
  figures.atLeast("calls", outcome.calls, reloads);
  figures.exactly("lost calls", outcome.lost.length, 0);
  figures.exactly("disconnected clients", outcome.disconnected, 0);
  figures.atLeast("versions that replied", outcome.versions, Math.ceil(reloads / 2));
  figures.note("time per reload", `${Math.round((outcome.seconds / reloads) * 1_000)} ms`);
  figures.megabytes("memory growth of the command", outcome.megabytes, LIMIT_MB);
  figures.note("processes at most", outcome.processes);
  if (outcome.processes > MAX_PROCESSES)
    figures.exactly("processes over the limit", outcome.processes - MAX_PROCESSES, 0);
  return figures.all;
}
