/**
 * @fileoverview Both official clients behind a balancer, whose streams break twice in a row without an event between: the
 * stream of a call, and the session stream.
 * @module tools/chaos/scenarios/breaks
 */
import { StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type BalancedStream, type Balancer, startBalancer } from "../../balancer.js";
import type { OfficialClient } from "../../official-clients/official-client.js";
import { connectV1 } from "../../official-clients/v1-client.js";
import { connectV2 } from "../../official-clients/v2-client.js";
import { waitFor } from "../http.js";
import { toUri } from "../listener.js";
import type { ScenarioContext } from "../scale.js";
import { send } from "../task-client.js";

const OPTIONS = { requestInit: { headers: { authorization: "Bearer official" } } };
const CONNECT: Readonly<Record<string, (url: URL) => Promise<OfficialClient>>> = {
  "version 1": (url) => connectV1(new TransportV1(url, OPTIONS)),
  "version 2": (url) => connectV2("unset", new TransportV2(url, OPTIONS)),
};

/** Time in milliseconds in which a result or an update must arrive. */
const ARRIVAL_MS = 20_000;

/** Rounds of the full test are fewer than those of raw clients, because the official clients wait between attempts. */
const ROUNDS_SHARE = 4;

/** Runs the scenario. */
export async function breaks(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures, atEnd } = context;
  const rounds = Math.ceil(scale.aimedRounds / ROUNDS_SHARE);
  for (const [version, connect] of Object.entries(CONNECT)) {
    const balancer = await startBalancer(() => cluster.nodes.map(({ port }) => port));
    atEnd(() => balancer.close());
    const client = await connect(new URL(`http://127.0.0.1:${balancer.port}/mcp`));
    const tally = { results: 0, updates: 0 };
    atEnd(() => client.close());
    for (let round = 0; round < rounds; round++) {
      const broken = { balancer, client, key: `${version.at(-1)}${round}` };
      tally.results += await breakCall(context, broken);
      tally.updates += await breakSessionStream(context, broken);
    }
    figures.exactly(`results after two breaks, ${version}`, tally.results, rounds);
    figures.exactly(`updates after two breaks, received once, ${version}`, tally.updates, rounds);
  }
}

interface Broken {
  readonly balancer: Balancer;
  readonly client: OfficialClient;
  /** Part of names that is different in each round. */
  readonly key: string;
}

/** Breaks the stream of a call twice. Returns 1 if the client gets its result. */
async function breakCall(context: ScenarioContext, { balancer, client, key }: Broken): Promise<number> {
  let outcome: string | undefined;
  let hasBegun = false;
  const call = client.callTool("hold", { key }, { onprogress: () => (hasBegun = true) }).then(
    ({ content }) => (outcome = JSON.stringify(content)),
    (error: unknown) => (outcome = String(error)),
  );
  await waitFor("the call begins", ARRIVAL_MS, () => hasBegun || undefined);
  const first = await findStream(balancer, ({ method }) => method === "POST");
  // The node that runs the call must live.
  first.cut();
  const second = await findStream(balancer, ({ method, isResumed }) => method === "GET" && isResumed, first);
  await end(context, second, first.port);
  await findStream(balancer, ({ method, isResumed }) => method === "GET" && isResumed, second);
  context.cluster.release(key);
  await waitFor("the call ends", ARRIVAL_MS, () => outcome).catch(() => undefined);
  // A call that hangs ends with its session.
  void call;
  return outcome?.includes(`held ${key}`) === true ? 1 : 0;
}

/** Breaks the session stream twice. Returns 1 if the client receives the next update once. */
async function breakSessionStream(
  context: ScenarioContext,
  { balancer, client, key }: Broken,
): Promise<number> {
  const { cluster } = context;
  const uri = toUri(99, Number(key));
  const unwatch = await client.watch(uri);
  let stream: BalancedStream | undefined;
  for (let count = 0; count < 2; count++) {
    stream = await findStream(balancer, ({ method }) => method === "GET", stream);
    await end(context, stream);
  }
  const params = { name: "mention", arguments: { uri } };
  const call = { principal: "publisher", method: "tools/call", params, isOnce: true };
  const isPublished = async () =>
    (await send(cluster.node(0), call)).result === undefined ? undefined : true;
  await waitFor("the update is published", ARRIVAL_MS, isPublished);
  const count = () => client.notifications.filter((one) => JSON.stringify(one).includes(`"${uri}"`)).length;
  await waitFor("the update arrives", ARRIVAL_MS, () => count() > 0 || undefined).catch(() => undefined);
  await unwatch();
  return count() === 1 ? 1 : 0;
}

/** Waits for an open stream other than the one that was broken. */
function findStream(
  balancer: Balancer,
  matches: (stream: BalancedStream) => boolean,
  broken?: BalancedStream,
): Promise<BalancedStream> {
  const find = () => [...balancer.streams].find((stream) => stream !== broken && matches(stream));
  return waitFor("the client opens a stream", ARRIVAL_MS, find);
}

/** Ends a stream by killing its node, unless that node must live. */
async function end({ cluster }: ScenarioContext, stream: BalancedStream, living?: number): Promise<void> {
  const node = cluster.nodes.find(({ port }) => port === stream.port && port !== living);
  if (node === undefined) return stream.cut();
  await node.kill();
  // The client reconnects to another node, and this one is back before the next kill.
  await node.start();
}
