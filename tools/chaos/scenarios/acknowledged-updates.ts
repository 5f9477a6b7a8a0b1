/**
 * @fileoverview Updates whose node is killed at the moment at which a client receives the reply of the call that made them. The
 * handlers do not wait for the update, so only the node can hold the reply back until it is stored.
 * @module tools/chaos/scenarios/acknowledged-updates
 */
import { LegacyClient } from "../legacy-client.js";
import { countLost, Listener, toUri, untilListening } from "../listener.js";
import type { ChaosNode } from "../node-group.js";
import type { ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";

/** Calls of one round. The node is killed after the first reply. */
const CALLS = 4;

/** Delay of Redis in every second round in milliseconds. A reply that does not wait for Redis is then always too early. */
const DELAY_MS = 40;

/** Runs the scenario. */
export async function acknowledgedUpdates(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures, atEnd } = context;
  const clients = await Promise.all(
    cluster.nodes.map((node) => LegacyClient.open(node, `listener-${node.slot}`)),
  );
  const uris = Array.from({ length: scale.aimedRounds * CALLS }, (_, index) =>
    toUri(Math.floor(index / CALLS), (index % CALLS) + 1),
  );
  await Promise.all(clients.map((client) => subscribe(context, client, uris)));
  const listeners = clients.map((client) => new Listener(client, () => random.pick(cluster.nodes)));
  atEnd(() => listeners.map((listener) => listener.stop()));
  await untilListening(listeners);
  const acknowledged = new Set<string>();
  const restarts: Promise<void>[] = [];
  let kills = 0;
  for (let round = 0; round < scale.aimedRounds; round++) {
    const node = cluster.node(round);
    await node.restore();
    await cluster.proxy.delay(round % 2 === 0 ? 0 : DELAY_MS);
    if (await callAndKill(node, uris.slice(round * CALLS, (round + 1) * CALLS), acknowledged)) kills++;
    restarts.push(node.start());
  }
  await cluster.proxy.delay(0);
  await Promise.all(restarts);
  const lost = await countLost(listeners, () => acknowledged);
  figures.exactly("nodes killed by the first reply", kills, scale.aimedRounds);
  figures.atLeast("updates acknowledged right before a kill", acknowledged.size, scale.aimedRounds);
  figures.exactly("acknowledged updates lost", lost, 0);
}

async function subscribe(
  { cluster, random }: ScenarioContext,
  client: LegacyClient,
  uris: readonly string[],
): Promise<void> {
  for (const uri of uris) {
    const { result } = await client.request(random.pick(cluster.nodes), "resources/subscribe", { uri });
    if (result === undefined) throw new Error(`Could not subscribe to ${uri}.`);
  }
}

/** Makes calls at the same time, and kills their node once one of them has its reply. Returns false if none has. */
async function callAndKill(
  node: ChaosNode,
  uris: readonly string[],
  acknowledged: Set<string>,
): Promise<boolean> {
  let kill: Promise<void> | undefined;
  const calls = uris.map(async (uri) => {
    const params = { name: "mention", arguments: { uri } };
    const call = { principal: "publisher", method: "tools/call", params, isOnce: true };
    const { result } = await send(node, call);
    if (result === undefined) return;
    kill ??= node.kill();
    acknowledged.add(uri);
  });
  await Promise.all(calls);
  await kill;
  return kill !== undefined;
}
