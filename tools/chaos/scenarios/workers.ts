/**
 * @fileoverview One server with several worker processes and without Redis, whose workers are killed.
 * @module tools/chaos/scenarios/workers
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createKey } from "../cluster.js";
import { waitFor } from "../http.js";
import type { NodeGroup } from "../node-group.js";
import type { ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";
import { underLoad } from "./mixed-load.js";

const WORKERS = 3;

/** The first process waits longer before each replacement, up to ten seconds. */
const MAX_KILLS = 5;

/** Runs the scenario. */
export async function workers(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures, atEnd } = context;
  const group = await cluster.startGroup(1, { prefix: "workers", keys: [createKey()], workers: WORKERS });
  atEnd(() => group.stop());
  const faults = Math.min(scale.loadFaults, MAX_KILLS);
  const killed = new Set<number>();
  const disturb = async () => {
    while (killed.size < faults) {
      await sleep(random.between(300, 900));
      const pid = random.pick(await findWorkers(group, killed));
      process.kill(pid, "SIGKILL");
      killed.add(pid);
    }
    await findWorkers(group, killed);
  };
  await underLoad({ ...context, cluster: group }, { disturb });
  figures.exactly("workers killed, and replaced", killed.size, faults);
}

/** Waits until all workers run. Returns their process IDs. */
async function findWorkers(group: NodeGroup, killed: ReadonlySet<number>): Promise<readonly number[]> {
  const pids = new Set<number>();
  await waitFor("all workers run", 60_000, async () => {
    const pid = await findWorker(group);
    if (!killed.has(pid)) pids.add(pid);
    return pids.size >= WORKERS || undefined;
  });
  return [...pids];
}

/** Returns the process ID of a worker, over a new connection. */
function findWorker(group: NodeGroup): Promise<number> {
  return waitFor("a worker responds", 30_000, async () => {
    const params = { name: "echo", arguments: { text: "pid" } };
    const call = { principal: "finder", method: "tools/call", params, isOnce: true };
    const { result } = await send(group.node(0), call);
    const [content] = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
    const pid = Number(content?.text?.split(" ").at(-1));
    return Number.isInteger(pid) ? pid : undefined;
  });
}
