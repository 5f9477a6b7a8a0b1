/**
 * @fileoverview Resource updates from all nodes, received on session streams whose nodes are killed. Each update has the
 * number of its node in its URI.
 * @module tools/chaos/scenarios/updates
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { LegacyClient } from "../legacy-client.js";
import { countDisorder, countLost, Listener, toUri, untilListening } from "../listener.js";
import type { GroupContext, ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";
import { openClients } from "./resumption.js";

/** Runs the scenario. */
export async function updates(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures } = context;
  let kills = 0;
  await followUpdates(context, {
    clients: CLIENTS,
    everyMs: PUBLISH_MS,
    disturb: async () => {
      while (kills < scale.streamKills) {
        await sleep(random.between(300, 900));
        await cluster.replace(random.pick(cluster.nodes));
        kills++;
      }
    },
  });
  figures.exactly("kills", kills, scale.streamKills);
}

const CLIENTS = 8;
const PUBLISH_MS = 40;

/** Clients, and the fault that they have to bear. */
export interface Disturbance {
  /** Number of clients. */
  readonly clients: number;
  /** Time in milliseconds between two updates of one node. */
  readonly everyMs: number;
  /** True if Redis rejects changes. A handler that does not wait for an update then does not learn that it is lost. */
  readonly isRejecting?: boolean;
  /** Resolves when the fault is over. */
  readonly disturb: (clients: readonly LegacyClient[]) => Promise<void>;
}

/** Publishes updates on all nodes during a fault, and judges what the clients have received. */
export async function followUpdates(
  context: GroupContext,
  { clients: count, everyMs, isRejecting = false, disturb }: Disturbance,
): Promise<void> {
  const { cluster, scale, random, figures, print, atEnd } = context;
  const clients = await openClients(context, count);
  await Promise.all(clients.map((client) => subscribe(context, client)));
  print("subscribed");
  const listeners = clients.map((client) => new Listener(client, () => random.pick(cluster.nodes)));
  atEnd(() => listeners.map((listener) => listener.stop()));
  await untilListening(listeners);
  const confirmed: Confirmed = { touch: [], mention: [] };
  const publishing = cluster.nodes.map(({ slot }) => publish(context, slot, { everyMs, confirmed }));
  await Promise.all([...publishing, disturb(clients)]);
  // All clients must receive what one of them received, and what a node confirmed even if it was killed right after.
  const required = [...confirmed.touch, ...(isRejecting ? [] : confirmed.mention)];
  const wanted = () => new Set([...listeners.flatMap(({ uris }) => uris), ...required]);
  const lost = await countLost(listeners, wanted);
  // A duplicate would arrive after the last update.
  await sleep(1_000);
  await Promise.all(listeners.map((listener) => listener.stop()));
  const share = isRejecting ? 0.1 : 1 / 3;
  const least = Math.floor(cluster.nodes.length * scale.updates * share);
  figures.atLeast("updates published", wanted().size, least);
  figures.note(
    "reconnects",
    listeners.reduce((total, { reconnects }) => total + reconnects, 0),
  );
  figures.exactly("updates lost", lost, 0);
  if (isRejecting) {
    const dropped = confirmed.mention.filter((uri) => !wanted().has(uri)).length;
    const title = "updates lost whose handlers did not wait for them";
    figures.note(title, `${dropped} of ${confirmed.mention.length}`);
  }
  const disorder = listeners.reduce((total, { uris }) => total + countDisorder(uris), 0);
  figures.exactly("updates duplicated or out of order", disorder, 0);
}

/** URIs of updates whose calls have succeeded, by tool: those that handlers wait for, and the others. */
type Confirmed = Readonly<Record<"touch" | "mention", string[]>>;

function numbersOf({ updates: count }: ScenarioContext["scale"]): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

async function subscribe(context: GroupContext, client: LegacyClient): Promise<void> {
  const { cluster, scale, random } = context;
  const uris = cluster.nodes.flatMap(({ slot }) => numbersOf(scale).map((number) => toUri(slot, number)));
  for (const uri of uris) {
    const { result, error } = await client.request(random.pick(cluster.nodes), "resources/subscribe", {
      uri,
    });
    if (result === undefined) throw new Error(`Could not subscribe to ${uri}: ${error?.message ?? ""}`);
  }
}

/** Publishes numbered updates on one node. An update that failed is not repeated, because it may have been published. */
async function publish(
  context: GroupContext,
  slot: number,
  { everyMs, confirmed }: { readonly everyMs: number; readonly confirmed: Confirmed },
): Promise<void> {
  const { cluster, scale } = context;
  for (const number of numbersOf(scale)) {
    const uri = toUri(slot, number);
    const name = number % 2 === 0 ? "touch" : "mention";
    const params = { name, arguments: { uri } };
    const call = { principal: "publisher", method: "tools/call", params, isOnce: true };
    const { result } = await send(cluster.node(slot), call);
    if (result !== undefined && result["isError"] !== true) confirmed[name].push(uri);
    await sleep(everyMs);
  }
}
