/**
 * @fileoverview Compares this checkout with another one, in interleaved runs. The other checkout runs twice: the
 * difference between its two processes is the noise.
 * @module bench/compare
 */
import { buildServers } from "./lib/build.js";
import { type CaseName, makeCase } from "./lib/cases.js";
import { pinClient } from "./lib/cores.js";
import { LoadClient } from "./lib/http-client.js";
import { type Contestant, interleave, type Pace, type Sample } from "./lib/interleave.js";
import { BUILD } from "./lib/paths.js";
import { say } from "./lib/print.js";
import { ServerProcess } from "./lib/server-process.js";
import { spread } from "./lib/stats.js";
import type { Setup } from "./servers/contract.js";
import type { HostOptions } from "./servers/host-protocol.js";
import { WITH_ORDER } from "./servers/tools.js";
import { slice } from "./suites/http.js";
import { runSlice } from "./suites/in-process.js";
import { Pipe } from "./suites/stdio.js";

/** One measurement on both checkouts. */
interface Comparison extends Omit<HostOptions, "tools"> {
  readonly title: string;
  readonly load: CaseName;
  /** @default 32 */
  readonly connections?: number;
}

const ORDER = { server: "tenon", wire: "http", load: "order" } as const;
const STREAMS = { ...ORDER, family: "streams", load: "progress", connections: 8 } as const;
const LARGE = { ...ORDER, family: "large", mode: "modern", connections: 4 } as const;
const BRIDGED = { ...ORDER, server: "tenon-fetch", wire: "fetch" } as const;

const COMPARISONS: readonly Comparison[] = [
  { title: "HTTP call, stateless", ...ORDER, mode: "stateless" },
  { title: "HTTP call, session", ...ORDER, mode: "session" },
  { title: "HTTP call, modern", ...ORDER, mode: "modern" },
  { title: "HTTP 100 kB, stateless", ...ORDER, mode: "stateless", load: "echo" },
  { title: "HTTP list, stateless", ...ORDER, mode: "stateless", load: "list" },
  { title: "toNodeHandler call, modern", ...ORDER, server: "tenon-node", mode: "modern" },
  { title: "fetch call, modern", ...ORDER, server: "tenon-fetch", mode: "modern" },
  { title: "fetch on hono 2, modern", ...BRIDGED, bridge: "hono-2", mode: "modern" },
  { title: "fetch on hono 1, modern", ...BRIDGED, bridge: "hono-1", mode: "modern" },
  { title: "stdio, legacy", ...ORDER, wire: "stdio", mode: "session" },
  { title: "stdio, modern", ...ORDER, wire: "stdio", mode: "modern" },
  { title: "in-process objects, legacy", ...ORDER, wire: "objects", mode: "session" },
  { title: "in-process text, legacy", ...ORDER, wire: "in-process", mode: "session" },
  { title: "SSE progress, modern", ...STREAMS, mode: "modern" },
  { title: "SSE progress, session", ...STREAMS, mode: "session" },
  { title: "1 MB text", ...LARGE, load: "text_1mb" },
  { title: "1 MB structured", ...LARGE, load: "structured_1mb" },
  { title: "5 MB image", ...LARGE, load: "image_5mb" },
];

const PACE: Pace = { sliceMs: 100, rounds: 15, warmMs: 1_000 };
const RUNS = 5;
const CALLS = 2_000;

/** Names of the processes in a run. */
type Side = "before" | "again" | "after";

/**
 * Compares two checkouts and prints a line for each case.
 *
 * @param before folder of the other checkout, with packages installed and built
 * @param part text that the titles of the cases must contain
 */
export async function compare(before: string, part = ""): Promise<void> {
  await buildServers();
  // The same servers and cases, with the packages of the other checkout.
  const other = `${BUILD}/other`;
  await buildServers(before, other);
  const builds = { before: other, again: other, after: BUILD };
  say(
    pinClient()
      ? "servers on core 0, client on core 1"
      : "processes are not pinned to cores (taskset is not available)",
  );
  say(`Server CPU time per request, after / before, median of ${RUNS} runs with new processes`);
  for (const comparison of COMPARISONS.filter(({ title }) => title.includes(part))) {
    const ratios: number[] = [];
    const noises: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const costs = await measure(comparison, builds);
      ratios.push(costs.after / costs.before);
      noises.push(costs.again / costs.before);
    }
    say(`${comparison.title.padEnd(26)} ${describe(ratios)}   noise (before / before) ${describe(noises)}`);
  }
}

function describe(ratios: readonly number[]): string {
  const { median } = spread(ratios);
  const range = `${Math.min(...ratios).toFixed(3)}–${Math.max(...ratios).toFixed(3)}`;
  return `${median.toFixed(3)} (${range})`;
}

async function measure(
  comparison: Comparison,
  builds: Readonly<Record<Side, string>>,
): Promise<Record<Side, number>> {
  const { load, mode } = comparison;
  const tools = load === "list" ? 100 : WITH_ORDER;
  const processes: ServerProcess[] = [];
  const contestants: (Contestant & { readonly close: () => void })[] = [];
  try {
    for (const side of ["before", "again", "after"] as const) {
      const started = await ServerProcess.start({ ...comparison, tools }, [], builds[side]);
      processes.push(started);
      contestants.push({ name: side, ...(await connect(started, comparison, { mode, tools })) });
    }
    const samples = await interleave(contestants, PACE);
    return {
      before: costOf(samples, "before"),
      again: costOf(samples, "again"),
      after: costOf(samples, "after"),
    };
  } finally {
    for (const { close } of contestants) close();
    for (const started of processes) await started.stop();
  }
}

/** Connects a client to a process. */
async function connect(
  started: ServerProcess,
  { wire, load, connections = 32 }: Comparison,
  { mode, tools }: Setup,
): Promise<{ readonly slice: Contestant["slice"]; readonly close: () => void }> {
  if (wire === "objects" || wire === "in-process")
    return { slice: (ms) => runSlice(started, load, { mode, tools }, ms), close: () => {} };
  if (wire === "stdio") {
    const pipe = new Pipe(started, makeCase(load, mode, tools, CALLS));
    if (mode === "session") await pipe.greet();
    return { slice: () => pipe.slice(), close: () => {} };
  }
  const requests = makeCase(load, mode, tools);
  const client = await LoadClient.open({ port: started.port, mode, load: requests, connections });
  return { slice: (ms) => slice(started, client, ms), close: () => client.close() };
}

function costOf(samples: ReadonlyMap<string, readonly Sample[]>, side: Side): number {
  const list = samples.get(side) ?? [];
  if (list.some(({ errors }) => errors > 0)) throw new Error(`${side} sent wrong responses.`);
  return spread(list.map(({ cpuUs, done }) => cpuUs / done)).median;
}
