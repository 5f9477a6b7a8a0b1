/**
 * @fileoverview Runs the scenarios of the chaos test one after the other, and prints their figures.
 * @module tools/chaos/run-chaos
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededOptions } from "../command.js";
import { Cluster } from "./cluster.js";
import { type Figure, Figures, printFigures } from "../figures.js";
import { closeConnections } from "./http.js";
import { createRandom } from "../random.js";
import { FULL, type ScenarioContext, SHORT } from "./scale.js";
import { acknowledgedUpdates } from "./scenarios/acknowledged-updates.js";
import { alteredRecords } from "./scenarios/altered-records.js";
import { asks } from "./scenarios/asks.js";
import { onRedisCluster, overTls } from "./scenarios/backends.js";
import { breaks } from "./scenarios/breaks.js";
import { deploys } from "./scenarios/deploys.js";
import { foreignReads } from "./scenarios/foreign-reads.js";
import { keyRotation } from "./scenarios/key-rotation.js";
import { listening } from "./scenarios/listening.js";
import { outages } from "./scenarios/outages.js";
import { refusingRedis } from "./scenarios/refusing-redis.js";
import { resumption } from "./scenarios/resumption.js";
import { steps } from "./scenarios/steps.js";
import { subscriptions } from "./scenarios/subscriptions.js";
import { updates } from "./scenarios/updates.js";
import { tasksUnderKills } from "./scenarios/tasks-under-kills.js";
import { workers } from "./scenarios/workers.js";

/** Scenario and the sentence that describes it. */
interface Scenario {
  readonly about: string;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** All scenarios by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  kills: { about: "tasks on nodes that are killed", run: tasksUnderKills },
  asks: { about: "tasks that ask questions on nodes that are killed", run: asks },
  steps: { about: "tasks in steps on nodes that are killed", run: steps },
  resumption: { about: "streams that are resumed on other nodes", run: resumption },
  subscriptions: { about: "many subscriptions of one session at the same time", run: subscriptions },
  updates: { about: "subscriptions on nodes that are killed", run: updates },
  replies: { about: "updates whose node is killed right after the reply", run: acknowledgedUpdates },
  listen: { about: "listening streams on nodes that are killed", run: listening },
  breaks: { about: "official clients whose streams break twice in a row", run: breaks },
  deploys: { about: "a rolling deploy of a version with a new tool", run: deploys },
  keys: { about: "a key that is replaced under load", run: keyRotation },
  workers: { about: "worker processes that are killed, without Redis", run: workers },
  sharded: { about: "nodes on a Redis Cluster that are killed", run: onRedisCluster },
  tls: { about: "connections to Redis over TLS that are cut", run: overTls },
  refusing: { about: "Redis that is read-only, or full", run: refusingRedis },
  outages: { about: "Redis that pauses, restarts, and is not reachable", run: outages },
  foreign: { about: "IDs of another principal's sessions and tasks", run: foreignReads },
  altered: { about: "altered and exchanged records in Redis", run: alteredRecords },
};

/** Time limit for one scenario in milliseconds. */
const MAX_MS = 600_000;

/** Runs the test. Returns true if all limits hold. */
export async function runChaos({ isShort, seed, only, print }: SeededOptions): Promise<boolean> {
  const names = Object.keys(SCENARIOS).filter((name) => only === undefined || name === only);
  if (names.length === 0)
    throw new TypeError(`--only must be one of ${Object.keys(SCENARIOS).join(", ")}; got ${only}.`);
  print(`Seed ${seed}${isShort ? ", short form" : ""}. Repeat with: npm run chaos -- --seed ${seed}`);
  let started: Cluster | undefined;
  const stop = () => {
    // Redis ends with this process, and so do the nodes.
    if (started === undefined) process.exit(1);
    void started.stop().finally(() => process.exit(1));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const cluster = (started = await Cluster.start(3));
  const figures: Figure[] = [];
  try {
    for (const name of names) figures.push(...(await runScenario(name, cluster, { isShort, seed, print })));
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
    closeConnections();
    await cluster.stop();
  }
  return printFigures(figures, print);
}

async function runScenario(
  name: string,
  cluster: Cluster,
  { isShort, seed, print }: Omit<SeededOptions, "only">,
): Promise<readonly Figure[]> {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1_000).toFixed(1)} s`;
  const figures = new Figures(name, !isShort);
  const crashes = cluster.crashes.length;
  const tasks: (() => unknown)[] = [];
  const context: ScenarioContext = {
    cluster,
    figures,
    atEnd: (task) => void tasks.unshift(task),
    scale: isShort ? SHORT : FULL,
    random: createRandom(seed),
    print: (line) => print(`${name}: ${line} (${elapsed()})`),
  };
  try {
    await cluster.heal();
    await Promise.race([SCENARIOS[name]?.run(context), timeOut()]);
  } catch (error) {
    print(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    figures.exactly("errors of the scenario", 1, 0);
  }
  // A client or a process that has ended cannot be closed again.
  for (const task of tasks)
    await Promise.resolve()
      .then(task)
      .catch(() => undefined);
  for (const crash of cluster.crashes.slice(crashes, crashes + 5)) print(`${name}: ${crash}`);
  figures.exactly("processes that ended by themselves", cluster.crashes.length - crashes, 0);
  print(`${name}: ended after ${elapsed()}`);
  return figures.all;
}

async function timeOut(): Promise<never> {
  await sleep(MAX_MS, undefined, { ref: false });
  throw new Error(`The scenario did not end within ${MAX_MS} ms.`);
}
