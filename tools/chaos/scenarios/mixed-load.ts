/**
 * @fileoverview Mixed load on a group of nodes during a fault: resource updates, tasks, and calls in sessions.
 * @module tools/chaos/scenarios/mixed-load
 */
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../http.js";
import type { LegacyClient } from "../legacy-client.js";
import type { GroupContext } from "../scale.js";
import { callTool } from "../task-client.js";
import { judgeTasks, PRINCIPAL, type Running } from "./outages.js";
import { type Disturbance, followUpdates } from "./updates.js";

const CLIENTS = 3;

/** Time between two requests of one kind, and between two updates of one node, in milliseconds. */
const EVERY_MS = 80;
const UPDATE_EVERY_MS = 160;

/** Time in milliseconds for which the load goes on after the fault. */
const AFTER_MS = 500;

/** Time limit in milliseconds for the first success after the fault. */
const BACK_MS = 5_000;

/** Keeps nodes busy until a fault is over, and judges that nothing acknowledged is lost. */
export async function underLoad(
  context: GroupContext,
  { disturb, isRejecting = false }: Pick<Disturbance, "disturb" | "isRejecting">,
): Promise<void> {
  const { scale, figures } = context;
  const running: Running[] = [];
  const tally = { calls: 0, failed: 0, lost: 0 };
  const own = { ...context, scale: { ...scale, updates: scale.updates / 2 } };
  await followUpdates(own, {
    isRejecting,
    clients: CLIENTS,
    everyMs: UPDATE_EVERY_MS,
    disturb: async (clients) => {
      let isOver = false;
      const load = [
        keepCreating(context, running, () => isOver),
        ...clients.map((client) => keepCalling(context, { client, tally, isOver: () => isOver })),
      ];
      try {
        await disturb(clients);
        figures.within("service back after the last fault", await measureReturn(context, clients), BACK_MS);
        await sleep(AFTER_MS);
      } finally {
        isOver = true;
      }
      await Promise.all(load);
    },
  });
  figures.note("calls in sessions", `${tally.calls}, ${tally.failed} of them failed`);
  figures.exactly("sessions lost", tally.lost, 0);
  figures.atLeast("tasks created", running.length, 5);
  await judgeTasks(context, running);
}

/** Creates tasks. A task counts once a client has its ID. */
async function keepCreating(
  { cluster, random }: GroupContext,
  running: Running[],
  isOver: () => boolean,
): Promise<void> {
  for (let n = 1; !isOver(); n++) {
    const tool = { name: "work", args: { n, ms: random.between(20, 600) } };
    const createdAt = Date.now();
    const { result } = await callTool(random.pick(cluster.nodes), PRINCIPAL, tool);
    const taskId = result?.["taskId"];
    if (typeof taskId === "string") running.push({ taskId, name: tool.name, n, createdAt });
    await sleep(EVERY_MS);
  }
}

interface Calls {
  readonly client: LegacyClient;
  readonly tally: { calls: number; failed: number; lost: number };
  readonly isOver: () => boolean;
}

/** Calls a tool in a session, on all nodes in turn. */
async function keepCalling(
  { cluster, random }: GroupContext,
  { client, tally, isOver }: Calls,
): Promise<void> {
  while (!isOver()) {
    const { status, result } = await echo(client, random.pick(cluster.nodes));
    tally.calls++;
    if (result === undefined) tally.failed++;
    if (status === 404) tally.lost++;
    await sleep(EVERY_MS);
  }
}

function echo(client: LegacyClient, node: GroupContext["cluster"]["nodes"][number]) {
  return client.request(node, "tools/call", { name: "echo", arguments: { text: "load" } });
}

/** Returns the time until every session works on every node, in milliseconds. */
async function measureReturn({ cluster }: GroupContext, clients: readonly LegacyClient[]): Promise<number> {
  const start = performance.now();
  const probes = cluster.nodes.flatMap((node) =>
    clients.map((client) =>
      waitFor("a session works", 30_000, async () => ((await echo(client, node)).result ? true : undefined)),
    ),
  );
  await Promise.all(probes);
  return performance.now() - start;
}
