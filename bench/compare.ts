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
import { slice } from "./suites/http.js";
import { Pipe } from "./suites/stdio.js";
import type { Mode } from "./servers/contract.js";

/** One measurement on both checkouts. */
interface Comparison {
  readonly title: string;
  readonly server: "tenon" | "tenon-fetch";
  readonly wire: "http" | "stdio";
  readonly mode: Mode;
  readonly load: CaseName;
}

const COMPARISONS: readonly Comparison[] = [
  { title: "HTTP call, stateless", server: "tenon", wire: "http", mode: "stateless", load: "call" },
  { title: "HTTP call, session", server: "tenon", wire: "http", mode: "session", load: "call" },
  { title: "HTTP call, modern", server: "tenon", wire: "http", mode: "modern", load: "call" },
  { title: "HTTP 100 kB, stateless", server: "tenon", wire: "http", mode: "stateless", load: "echo" },
  { title: "HTTP list, stateless", server: "tenon", wire: "http", mode: "stateless", load: "list" },
  { title: "fetch call, modern", server: "tenon-fetch", wire: "http", mode: "modern", load: "call" },
  { title: "stdio, legacy", server: "tenon", wire: "stdio", mode: "session", load: "call" },
  { title: "stdio, modern", server: "tenon", wire: "stdio", mode: "modern", load: "call" },
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
  // The other checkout's own benchmark compiles its servers, so its layout may differ.
  const other = (await import(`${before}/bench/lib/build.ts`)) as { buildServers(): Promise<void> };
  await other.buildServers();
  const builds = { before: `${before}/bench/dist`, again: `${before}/bench/dist`, after: BUILD };
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
    say(`${comparison.title.padEnd(24)} ${describe(ratios)}   noise (before / before) ${describe(noises)}`);
  }
}

function describe(ratios: readonly number[]): string {
  const { median } = spread(ratios);
  const range = `${Math.min(...ratios).toFixed(3)}–${Math.max(...ratios).toFixed(3)}`;
  return `${median.toFixed(3)} (${range})`;
}

async function measure(
  { server, wire, mode, load }: Comparison,
  builds: Readonly<Record<Side, string>>,
): Promise<Record<Side, number>> {
  const tools = load === "list" ? 100 : 2;
  const processes = new Map<Side, ServerProcess>();
  const clients: LoadClient[] = [];
  const contestants: Contestant[] = [];
  try {
    for (const side of ["before", "again", "after"] as const) {
      const started = await ServerProcess.start({ server, wire, mode, tools }, [], builds[side]);
      processes.set(side, started);
      if (wire === "stdio") {
        const pipe = new Pipe(started, makeCase(load, mode, tools, CALLS));
        if (mode === "session") await pipe.greet();
        contestants.push({ name: side, slice: () => pipe.slice() });
      } else {
        const requests = makeCase(load, mode, tools);
        const options = { port: started.port, mode, load: requests, connections: 32, accept: undefined };
        const client = await LoadClient.open(options);
        clients.push(client);
        contestants.push({ name: side, slice: (ms) => slice(started, client, ms) });
      }
    }
    const samples = await interleave(contestants, PACE);
    return {
      before: costOf(samples, "before"),
      again: costOf(samples, "again"),
      after: costOf(samples, "after"),
    };
  } finally {
    for (const client of clients) client.close();
    for (const started of processes.values()) await started.stop();
  }
}

function costOf(samples: ReadonlyMap<string, readonly Sample[]>, side: Side): number {
  const list = samples.get(side) ?? [];
  if (list.some(({ errors }) => errors > 0)) throw new Error(`${side} sent wrong responses.`);
  return spread(list.map(({ cpuUs, done }) => cpuUs / done)).median;
}
