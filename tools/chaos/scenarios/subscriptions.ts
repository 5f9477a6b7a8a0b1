/**
 * @fileoverview Many subscriptions of one session at the same time, on all nodes, and while the session's stream connects.
 * Nothing fails here: whatever is lost was lost by the nodes themselves.
 * @module tools/chaos/scenarios/subscriptions
 */
import { waitFor } from "../http.js";
import { LegacyClient, openStream } from "../legacy-client.js";
import type { ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";

/** Number of resources that a client subscribes to at the same time. */
const AT_ONCE = 20;

/** Time in milliseconds in which an update must arrive. */
const ARRIVAL_MS = 10_000;

/** Runs the scenario. */
export async function subscriptions(context: ScenarioContext): Promise<void> {
  const { scale, figures, print } = context;
  for (const [title, isConnecting] of [
    ["to an open stream", false],
    ["while the stream connects", true],
  ] as const) {
    let lost = 0;
    for (let round = 0; round < scale.subscriptionRounds; round++)
      lost += await subscribeAtOnce(context, { round, isConnecting });
    print(`subscribed ${title}`);
    figures.note(`subscriptions ${title}`, scale.subscriptionRounds * AT_ONCE);
    figures.exactly(`updates lost that were subscribed ${title}`, lost, 0);
  }
}

interface Round {
  readonly round: number;
  /** True to subscribe before the first event of the session's stream. */
  readonly isConnecting: boolean;
}

/** Subscribes to all resources of a round, updates them, and returns the number of updates that did not arrive. */
async function subscribeAtOnce(context: ScenarioContext, { round, isConnecting }: Round): Promise<number> {
  const { cluster, random } = context;
  const uris = Array.from({ length: AT_ONCE }, (_, number) => `chaos://update/${round}/${number}`);
  const client = await LegacyClient.open(random.pick(cluster.nodes), `subscriber-${round}`);
  const arrived = new Set<string>();
  let isListening = false;
  const stream = openStream({
    node: random.pick(cluster.nodes),
    client,
    onEvent: ({ message }) => {
      isListening = true;
      const { uri } = (message?.["params"] ?? {}) as { readonly uri?: string };
      if (uri !== undefined) arrived.add(uri);
    },
  });
  const listens = () => waitFor("the client listens", ARRIVAL_MS, () => isListening || undefined);
  if (!isConnecting) await listens();
  const subscribed = uris.map(async (uri, index) => {
    const { result } = await client.request(cluster.node(index), "resources/subscribe", { uri });
    if (result === undefined) throw new Error(`Could not subscribe to ${uri}.`);
  });
  await Promise.all(subscribed);
  await listens();
  for (const uri of uris) await touch(context, uri);
  await waitFor("all updates arrive", ARRIVAL_MS, () => arrived.size === uris.length || undefined).catch(
    () => undefined,
  );
  stream.close();
  return uris.length - arrived.size;
}

async function touch({ cluster, random }: ScenarioContext, uri: string): Promise<void> {
  const params = { name: "touch", arguments: { uri } };
  const call = { principal: "publisher", method: "tools/call", params, isOnce: true };
  const { result } = await send(random.pick(cluster.nodes), call);
  if (result === undefined) throw new Error(`Could not update ${uri}.`);
}
