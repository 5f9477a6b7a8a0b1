/**
 * @fileoverview Resource updates from all nodes, received on main streams whose nodes are killed. Each update has the
 * number of its node in its URI.
 * @module tools/chaos/scenarios/updates
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Kill } from "../cluster.js";
import { waitFor } from "../http.js";
import { type LegacyClient, openStream, type StreamEvent } from "../legacy-client.js";
import type { ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";
import { openClients } from "./resumption.js";

/** Update that a node has confirmed. */
interface Confirmed {
  readonly uri: string;
  readonly pid: number;
  readonly at: number;
}

/** Runs the scenario. */
export async function updates(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures, print } = context;
  const clients = await openClients(context, CLIENTS);
  await Promise.all(clients.map((client) => subscribe(context, client)));
  print("subscribed");
  const listeners = clients.map((client) => new Listener(context, client));
  await waitFor(
    "all clients listen",
    30_000,
    () => listeners.every(({ isListening }) => isListening) || undefined,
  );
  const confirmed: Confirmed[] = [];
  const publishing = cluster.nodes.map(({ slot }) => publish(context, slot, confirmed));
  let kills = 0;
  const killing = (async () => {
    while (kills < scale.streamKills) {
      await sleep(random.between(300, 900));
      await cluster.replace(random.pick(cluster.nodes));
      kills++;
    }
  })();
  await Promise.all([...publishing, killing]);
  const wanted = () => wantedUris(listeners, confirmed, cluster.kills);
  await waitFor("all updates arrive", 30_000, () => countLost(listeners, wanted()) === 0 || undefined).catch(
    () => undefined,
  );
  // A duplicate would arrive after the last update.
  await sleep(1_000);
  await Promise.all(listeners.map((listener) => listener.stop()));
  figures.exactly("kills", kills, scale.streamKills);
  figures.atLeast("updates published", wanted().size, scale.updates);
  figures.note(
    "reconnects",
    listeners.reduce((total, { reconnects }) => total + reconnects, 0),
  );
  figures.exactly("updates lost", countLost(listeners, wanted()), 0);
  const disorder = listeners.reduce((total, { uris }) => total + countDisorder(uris), 0);
  figures.exactly("updates duplicated or out of order", disorder, 0);
}

const CLIENTS = 8;

function toUri(slot: number, number: number): string {
  return `chaos://update/${slot}/${number}`;
}

function numbersOf({ updates: count }: ScenarioContext["scale"]): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

async function subscribe(context: ScenarioContext, client: LegacyClient): Promise<void> {
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
async function publish(context: ScenarioContext, slot: number, confirmed: Confirmed[]): Promise<void> {
  const { cluster, scale } = context;
  const node = cluster.node(slot);
  for (const number of numbersOf(scale)) {
    const uri = toUri(slot, number);
    const { pid } = node;
    const params = { name: "touch", arguments: { uri } };
    const { result } = await send(node, {
      principal: "publisher",
      method: "tools/call",
      params,
      isOnce: true,
    });
    if (result !== undefined) confirmed.push({ uri, pid, at: Date.now() });
    await sleep(PUBLISH_MS);
  }
}

const PUBLISH_MS = 40;

/** Client that follows its main stream, and reconnects to any node. */
class Listener {
  readonly uris: string[] = [];
  reconnects = -1;
  isListening = false;
  #isStopped = false;
  #lastEventId: string | undefined;
  #close: () => void = () => undefined;
  readonly #done: Promise<void>;

  constructor(context: ScenarioContext, client: LegacyClient) {
    this.#done = this.#run(context, client);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#close();
    return this.#done;
  }

  async #run({ cluster, random }: ScenarioContext, client: LegacyClient): Promise<void> {
    while (!this.#isStopped) {
      const lastEventId = this.#lastEventId;
      const onEvent = (event: StreamEvent) => this.#receive(event);
      const node = random.pick(cluster.nodes);
      const stream = openStream({
        node,
        client,
        ...(lastEventId === undefined ? {} : { lastEventId }),
        onEvent,
      });
      this.#close = () => stream.close();
      this.reconnects++;
      await stream.closed;
      await sleep(20);
    }
  }

  #receive({ id, message }: StreamEvent): void {
    this.isListening = true;
    this.#lastEventId = id;
    const uri = (message?.["params"] as { readonly uri?: string } | undefined)?.uri;
    if (uri !== undefined) this.uris.push(uri);
  }
}

/**
 * Returns the updates that all clients must receive: those that one of them received, and those that a node confirmed,
 * unless it was killed right after.
 */
function wantedUris(
  listeners: readonly Listener[],
  confirmed: readonly Confirmed[],
  kills: readonly Kill[],
): ReadonlySet<string> {
  const deaths = new Map(kills.map(({ pid, at }) => [pid, at]));
  const safe = confirmed.filter(({ pid, at }) => (deaths.get(pid) ?? Infinity) - at > SETTLE_MS);
  return new Set([...listeners.flatMap(({ uris }) => uris), ...safe.map(({ uri }) => uri)]);
}

/** Time in milliseconds in which a node stores an update that it has confirmed. */
const SETTLE_MS = 1_000;

function countLost(listeners: readonly Listener[], wanted: ReadonlySet<string>): number {
  let lost = 0;
  for (const { uris } of listeners) {
    const received = new Set(uris);
    for (const uri of wanted) if (!received.has(uri)) lost++;
  }
  return lost;
}

/** Returns the number of updates whose number is not higher than the previous one of the same node. */
function countDisorder(uris: readonly string[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const uri of uris) {
    const [, slot = "", number] = /^chaos:\/\/update\/(\d+)\/(\d+)$/.exec(uri) ?? [];
    if (Number(number) <= (last.get(slot) ?? 0)) count++;
    last.set(slot, Number(number));
  }
  return count;
}
