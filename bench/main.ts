/**
 * @fileoverview Runs the selected suites, prints their tables, and stores them as JSON.
 * @module bench/main
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { runGuard } from "./guard.js";
import { buildServers } from "./lib/build.js";
import { pinClient } from "./lib/cores.js";
import type { BenchOptions } from "./lib/options.js";
import { BENCH } from "./lib/paths.js";
import { printTable, say } from "./lib/print.js";
import type { Table } from "./lib/result.js";
import type { Suite } from "./lib/suite.js";
import { cluster } from "./suites/cluster.js";
import { coldStart } from "./suites/cold-start.js";
import { fetchBridges } from "./suites/fetch.js";
import { footprint } from "./suites/footprint.js";
import { grouped } from "./suites/grouped.js";
import { http } from "./suites/http.js";
import { inProcess } from "./suites/in-process.js";
import { large } from "./suites/large.js";
import { memory } from "./suites/memory.js";
import { scale } from "./suites/scale.js";
import { sdk } from "./suites/sdk.js";
import { standard } from "./suites/standard.js";
import { stdio } from "./suites/stdio.js";
import { streams } from "./suites/streams.js";
import { tasks } from "./suites/tasks.js";
import { tokens } from "./suites/tokens.js";

/** Every suite, in the order they run. */
export const SUITES: readonly Suite[] = [
  inProcess,
  http,
  fetchBridges,
  stdio,
  coldStart,
  streams,
  large,
  memory,
  scale,
  sdk,
  standard,
  grouped,
  tasks,
  cluster,
  tokens,
  footprint,
];

/** Runs the selected suites. */
export async function runBenchmark(options: BenchOptions): Promise<void> {
  await buildServers();
  const machine = {
    node: process.version,
    arch: process.arch,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    pinned: pinClient(),
    size: options.size,
  };
  say(
    `Node ${machine.node}, ${machine.arch}, ${machine.cores} cores, ${options.size} run; ` +
      (machine.pinned
        ? "servers on core 0, client on core 1"
        : "processes are not pinned to cores (taskset is not available)"),
  );
  if (options.guard) {
    await runGuard(options);
    return;
  }
  const all: Record<string, readonly Table[]> = {};
  // The plots use the results of the default version.
  const folder = `${BENCH}/results${options.node === undefined ? "" : `/node${options.node}`}`;
  mkdirSync(folder, { recursive: true });
  for (const suite of SUITES) {
    if (!options.wants(suite.name)) continue;
    const tables: Table[] = [];
    for await (const table of suite.run(options)) {
      tables.push(table);
      printTable(table);
    }
    all[suite.name] = tables;
    writeJson(`${folder}/${suite.name}.json`, { machine, tables });
  }
  if (options.json !== undefined) writeJson(options.json, { machine, suites: all });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
