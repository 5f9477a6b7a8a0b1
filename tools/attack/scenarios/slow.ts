/**
 * @fileoverview Opens many slow connections to a server in its own process, and measures a well-behaved client meanwhile.
 * @module tools/attack/scenarios/slow
 */
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../../tools/compile-program.js";
import { percentile } from "../../figures.js";
import { waitFor } from "../clients/sessions.js";
import { RegularClient } from "../clients/regular-client.js";
import type { AttackContext } from "../context.js";
import { spawnServer } from "../memory/target.js";
import type { SlowReport, SlowSettings } from "../slow/settings.js";

/** Limit for the 99th percentile: twice the idle one, and at least this many milliseconds. */
const MIN_LIMIT_MS = 20;

/** Time between two calls of the well-behaved client in milliseconds. */
const PAUSE_MS = 5;

/** Runs the attack. @throws if the operating system does not allow enough connections */
export async function slow({ figures, print, scale, isShort }: AttackContext): Promise<void> {
  assertOpenFiles(scale.connections);
  const server = spawnServer("serve", { limits: "defaults" });
  let attackers: ChildProcess | undefined;
  try {
    if (server.stdout === null) throw new Error("The server process's standard output is not piped.");
    const [url] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const port = Number(new URL(url).port);
    await measure(port, 500);
    const idle = await measure(port, isShort ? 500 : 5_000);
    print(`the idle server: ${idle.times.length} calls, p99 ${percentile(idle.times, 0.99).toFixed(1)} ms`);

    const report: { last: SlowReport; peak: number } = { last: { open: 0, closed: 0 }, peak: 0 };
    attackers = startClients({ port, connections: scale.connections }, (last) => {
      report.last = last;
      report.peak = Math.max(report.peak, last.open);
    });
    await waitFor("the slow connections are open", () =>
      report.last.open > scale.connections * 0.9 ? true : undefined,
    );
    print(`${report.last.open} slow connections are open`);
    const leastCalls = isShort ? 10 : 1_000;
    // The short form also runs on busy machines, where a few calls can take all of the time.
    const busy = await measure(port, scale.slowMs, isShort ? leastCalls : 0);
    const [before, during] = [idle, busy].map(({ times }) => percentile(times, 0.99)) as [number, number]; // Safe: two lists
    figures.atLeast("slow connections at the same time", report.peak, scale.connections * 0.9);
    figures.note("slow connections that the server closed", report.last.closed);
    figures.exactly("failed calls of the client", idle.failures + busy.failures, 0);
    figures.atLeast("calls of the client", busy.times.length, leastCalls);
    figures.note("p99 of the client, idle server", `${before.toFixed(1)} ms`);
    const limit = Math.ceil(Math.max(2 * before, MIN_LIMIT_MS));
    figures.within("p99 of the client, attacked server", during, limit);
    figures.exactly(
      "crashes of the server",
      server.exitCode === null && server.signalCode === null ? 0 : 1,
      0,
    );
  } finally {
    attackers?.kill("SIGKILL");
    server.kill("SIGKILL");
  }
}

function assertOpenFiles(connections: number): void {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  const wanted = connections + 200;
  if (limit !== "unlimited" && Number(limit) < wanted)
    throw new Error(
      `The limit for open files is ${limit}, and this attack needs ${wanted}. Raise it with \`ulimit -n ${wanted}\`.`,
    );
}

function startClients(settings: SlowSettings, onReport: (report: SlowReport) => void): ChildProcess {
  const script = fileURLToPath(new URL("../slow/clients.ts", import.meta.url));
  const child = fork(compileProgram(script), [JSON.stringify(settings)], { execArgv: [] });
  child.on("message", (report) => onReport(report as SlowReport)); // Safe: the process sends only reports
  return child;
}

/** Times of the well-behaved client's calls in milliseconds. */
interface Measured {
  readonly times: readonly number[];
  readonly failures: number;
}

/** Calls the server for some time, and until there were enough calls. */
async function measure(port: number, durationMs: number, leastCalls = 0): Promise<Measured> {
  const client = new RegularClient(port);
  const times: number[] = [];
  let failures = 0;
  const end = performance.now() + durationMs;
  while (performance.now() < end || times.length < leastCalls) {
    const { ms, failure } = await client.call();
    if (failure !== undefined) failures++;
    times.push(ms);
    await sleep(PAUSE_MS);
  }
  client.close();
  return { times, failures };
}
