/**
 * @fileoverview Redis that responds, but rejects changes: as a replica, and because its memory is full.
 * @module tools/chaos/scenarios/refusing-redis
 */
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../http.js";
import type { ChaosNode } from "../node-group.js";
import { RedisClient } from "../redis-client.js";
import type { ScenarioContext } from "../scale.js";
import { callTool } from "../task-client.js";
import { underLoad } from "./mixed-load.js";
import { Traffic } from "./traffic.js";

/** Commands that begin and end each state. A replica without a reachable primary keeps its data. */
const STATES: Readonly<Record<string, readonly [begin: readonly string[], end: readonly string[]]>> = {
  "read-only": [
    ["REPLICAOF", "127.0.0.1", "1"],
    ["REPLICAOF", "NO", "ONE"],
  ],
  full: [
    ["CONFIG", "SET", "maxmemory", "1"],
    ["CONFIG", "SET", "maxmemory", "0"],
  ],
};

/** Time limit in milliseconds for readiness to change. A result is used again for a second. */
const CHANGE_MS = 5_000;

/** Time in milliseconds for which Redis accepts changes before each state, so that what waited is stored. */
const BETWEEN_MS = 700;

/** Runs the scenario. */
export async function refusingRedis(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures, print, atEnd } = context;
  const call = {
    name: "call",
    needsStore: false,
    send: (node: ChaosNode) => callTool(node, "witness", { name: "echo", args: { text: "refused" } }),
  };
  const redis = await RedisClient.connect(cluster.redis);
  atEnd(() => redis.close());
  const traffic = new Traffic(cluster.nodes, [call]);
  atEnd(() => traffic.stop());
  const disturb = async () => {
    for (const [name, [begin, end]] of Object.entries(STATES)) {
      await sleep(BETWEEN_MS);
      try {
        await redis.run(...begin);
        figures.within(`readiness fails: ${name}`, await measureChange(context, isRefused), CHANGE_MS);
        await sleep(scale.pauseMs);
      } finally {
        await redis.run(...end);
      }
      figures.within(`readiness is back: ${name}`, await measureChange(context, isReady), CHANGE_MS);
      print(`${name} is over`);
    }
  };
  await underLoad(context, { disturb, isRejecting: true });
  await traffic.stop();
  const { requests, failedWithoutStore, reasons } = traffic.tally;
  for (const reason of reasons) print(`failed without Redis: ${reason}`);
  figures.note("requests that do not need Redis", requests);
  figures.exactly("of them failed", failedWithoutStore, 0);
}

const isRefused = ({ status, headers }: Response) => status === 503 && headers.get("retry-after") !== null;
const isReady = ({ status }: Response) => status === 200;

/** Returns the time until a check of readiness holds on all nodes, in milliseconds. */
async function measureChange(
  { cluster }: ScenarioContext,
  check: (response: Response) => boolean,
): Promise<number> {
  const start = performance.now();
  const changes = cluster.nodes.map(({ port }) =>
    waitFor("readiness changes", 30_000, async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      await response.arrayBuffer();
      return check(response) || undefined;
    }),
  );
  await Promise.all(changes);
  return performance.now() - start;
}
