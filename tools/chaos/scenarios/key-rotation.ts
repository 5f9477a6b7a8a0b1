/**
 * @fileoverview Replacement of the key that encrypts the records, node by node and under load, in the three steps of the docs.
 * @module tools/chaos/scenarios/key-rotation
 */
import { createKey } from "../cluster.js";
import type { LegacyClient } from "../legacy-client.js";
import { toUri } from "../listener.js";
import type { NodeGroup } from "../node-group.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, getTask, isTerminal, textOf } from "../task-client.js";
import { waitFor } from "../http.js";
import { underLoad } from "./mixed-load.js";
import { openClients } from "./resumption.js";

const SESSIONS = 6;
const PRINCIPAL = "rotation";

/** Runs the scenario. */
export async function keyRotation(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures, print, atEnd } = context;
  const [old, next] = [createKey(), createKey()];
  const settings = { ...cluster.settings, prefix: "rotated", keys: [old] };
  const group = await cluster.startGroup(scale.groupSize, settings);
  atEnd(() => group.stop());
  const own = { ...context, cluster: group };
  const [used, unused] = [await openClients(own, SESSIONS), await openClients(own, SESSIONS)];
  const disturb = async () => {
    await deploy(group, [old, next]);
    await deploy(group, [next, old]);
  };
  await underLoad(own, { disturb });
  print("both keys are in use");
  // The records of these sessions and tasks get the new key. The others keep the old one.
  for (const client of used) await client.request(group.node(0), "resources/subscribe", { uri: toUri(0, 1) });
  const tasks = await Promise.all(used.map((_, n) => startTask(group, n)));
  await deploy(group, [next]);
  print("the old key is removed");
  const lost = await Promise.all(used.map((client, index) => hasEnded(client, group.node(index))));
  const ended = await Promise.all(unused.map((client, index) => hasEnded(client, group.node(index))));
  const completed = await Promise.all(tasks.map((taskId, n) => isCompleted(group, { taskId, n })));
  figures.exactly("changed sessions lost with the old key", count(lost), 0);
  figures.exactly("unchanged sessions that ended with the old key", count(ended), SESSIONS);
  figures.exactly("tasks that completed after its removal", count(completed), SESSIONS);
}

function count(outcomes: readonly boolean[]): number {
  return outcomes.filter(Boolean).length;
}

/** Replaces the nodes one after the other. */
async function deploy(group: NodeGroup, keys: readonly string[]): Promise<void> {
  for (const node of group.nodes) {
    node.configure({ keys });
    await group.replace(node);
  }
}

/** Returns true if a session does not exist. */
async function hasEnded(client: LegacyClient, node: NodeGroup["nodes"][number]): Promise<boolean> {
  return (await client.request(node, "ping", {})).status === 404;
}

/** Starts a task that a node runs while it is replaced. */
function startTask(group: NodeGroup, n: number): Promise<string> {
  return createTask(() => group.node(n), PRINCIPAL, { name: "work", args: { n, ms: 1_500 } });
}

async function isCompleted(
  group: NodeGroup,
  { taskId, n }: { readonly taskId: string; readonly n: number },
): Promise<boolean> {
  const task = await waitFor("a task finishes", 60_000, async () => {
    const found = await getTask(group.node(n), PRINCIPAL, taskId);
    return found !== undefined && isTerminal(found) ? found : undefined;
  }).catch(() => undefined);
  return task?.status === "completed" && textOf(task) === `${PRINCIPAL} work ${n}`;
}
