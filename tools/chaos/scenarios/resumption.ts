/**
 * @fileoverview Legacy event streams whose nodes are killed. Clients resume on other nodes, and must receive every event
 * once and in order.
 * @module tools/chaos/scenarios/resumption
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosNode } from "../node-group.js";
import { forEachLimited } from "../http.js";
import { LegacyClient, openStream } from "../legacy-client.js";
import type { GroupContext, ScenarioContext } from "../scale.js";

/** Runs the scenario. */
export async function resumption(context: ScenarioContext): Promise<void> {
  const { cluster, figures, print, scale } = context;
  const [runner, ...holders] = cluster.nodes;
  if (runner === undefined) throw new Error("The cluster is empty.");

  // The node that runs the calls lives, and the nodes that hold the connections are killed.
  const clients = await openClients(context, Math.ceil(scale.streams / 6));
  let isOver = false;
  const killing = killRepeatedly(context, holders, () => isOver);
  const calls = await followCalls(context, { clients, runner, nodes: cluster.nodes });
  isOver = true;
  const kills = await killing;
  figures.atLeast("kills of nodes that hold streams", kills, 1);
  figures.exactly(
    "streams with a result",
    calls.filter(({ reply }) => reply === "result").length,
    scale.streams,
  );
  figures.atLeast(
    "resumptions",
    sum(calls, ({ resumptions }) => resumptions),
    scale.streams,
  );
  figures.exactly(
    "events lost",
    sum(calls, ({ lost }) => lost),
    0,
  );
  figures.exactly(
    "events duplicated or out of order",
    sum(calls, ({ disorder }) => disorder),
    0,
  );
  figures.exactly("streams with more than one reply", calls.filter(({ replies }) => replies > 1).length, 0);
  print("streams over killed nodes are done");

  const lost = await loseRunners(context);
  figures.exactly("calls of a killed node that hung", lost.filter(({ reply }) => reply === "none").length, 0);
  figures.note(
    "calls of a killed node that got their result",
    lost.filter(({ reply }) => reply === "result").length,
  );
  figures.note(
    "calls of a killed node that got one error",
    lost.filter(({ reply }) => reply === "error").length,
  );
  figures.exactly(
    "calls of a killed node with more than one reply",
    lost.filter(({ replies }) => replies > 1).length,
    0,
  );
  figures.exactly(
    "their events duplicated or out of order",
    sum(lost, ({ disorder }) => disorder),
    0,
  );
  print("calls of killed nodes are done");
}

function sum<T>(items: readonly T[], toNumber: (item: T) => number): number {
  return items.reduce((total, item) => total + toNumber(item), 0);
}

/** Opens sessions on all nodes in turn. */
export async function openClients(
  { cluster }: GroupContext,
  count: number,
): Promise<readonly LegacyClient[]> {
  const clients: LegacyClient[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index);
  await forEachLimited(numbers, 4, async (index) => {
    clients.push(await LegacyClient.open(cluster.node(index), `listener-${index}`));
  });
  return clients;
}

/** Kills random nodes one after the other, and starts them again. Returns the number of kills. */
async function killRepeatedly(
  { random, scale, cluster }: ScenarioContext,
  nodes: readonly ChaosNode[],
  isOver: () => boolean,
): Promise<number> {
  let kills = 0;
  while (!isOver() && kills < scale.streamKills) {
    await sleep(random.between(400, 1_200));
    if (isOver()) break;
    await cluster.replace(random.pick(nodes));
    kills++;
  }
  return kills;
}

/** Outcome of one call as its client sees it. */
interface CallOutcome {
  readonly reply: "result" | "error" | "none";
  readonly replies: number;
  readonly lost: number;
  readonly disorder: number;
  readonly resumptions: number;
}

interface CallPlan {
  readonly client: LegacyClient;
  /** Node that runs the call. */
  readonly runner: ChaosNode;
  /** Nodes on which the client resumes. */
  readonly nodes: readonly ChaosNode[];
  readonly to: number;
  readonly ms: number;
  /** Number of events after which the client drops its connection by itself. */
  readonly patience: () => number;
}

async function followCalls(
  { scale, random }: ScenarioContext,
  {
    clients,
    runner,
    nodes,
  }: {
    readonly clients: readonly LegacyClient[];
    readonly runner: ChaosNode;
    readonly nodes: readonly ChaosNode[];
  },
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  const numbers = Array.from({ length: scale.streams }, (_, index) => index);
  await forEachLimited(numbers, 20, async (index) => {
    const client = clients[index % clients.length];
    if (client === undefined) return;
    const patience = () => random.between(2, 15);
    const ms = random.between(20, 120);
    outcomes.push(await followCall({ client, runner, nodes, to: CALL_EVENTS, ms, patience }, random));
  });
  return outcomes;
}

const CALL_EVENTS = 40;
const CALL_MS = 60_000;

/** Makes a call, and resumes its stream on other nodes until the reply arrives. */
async function followCall(plan: CallPlan, random: ScenarioContext["random"]): Promise<CallOutcome> {
  const { client, runner, nodes, to, ms, patience } = plan;
  const params = { name: "count", arguments: { to, ms }, _meta: { progressToken: "count" } };
  const body = client.createRequest("tools/call", params);
  const deadline = performance.now() + CALL_MS;
  const numbers: number[] = [];
  const replies: ("result" | "error")[] = [];
  let lastEventId: string | undefined;
  let resumptions = -1;
  let isRefused = false;
  while (replies.length === 0 && !isRefused && performance.now() < deadline) {
    let left = patience();
    const stream = openStream({
      node: resumptions < 0 ? runner : random.pick(nodes),
      client,
      ...(lastEventId === undefined ? { body } : { lastEventId }),
      onEvent: ({ id, message }) => {
        lastEventId = id ?? lastEventId;
        const progress = (message?.["params"] as { readonly progress?: number } | undefined)?.progress;
        if (progress !== undefined) numbers.push(progress);
        if (message?.["result"] !== undefined) replies.push("result");
        if (message?.["error"] !== undefined) replies.push("error");
        if (--left <= 0 && replies.length === 0) stream.close();
      },
    });
    resumptions++;
    const timer = setTimeout(() => stream.close(), deadline - performance.now());
    const status = await stream.closed;
    clearTimeout(timer);
    // The node was killed before it could send an event ID, so the client knows that the call failed.
    if (lastEventId === undefined) replies.push("error");
    isRefused = status === 204 || (status >= 400 && status < 500);
    await sleep(10);
  }
  return judge({ numbers, replies, to, resumptions });
}

function judge({
  numbers,
  replies,
  to,
  resumptions,
}: {
  readonly numbers: readonly number[];
  readonly replies: readonly ("result" | "error")[];
  readonly to: number;
  readonly resumptions: number;
}): CallOutcome {
  const distinct = new Set(numbers).size;
  const disorder = numbers.filter((number, index) => number <= (numbers[index - 1] ?? 0)).length;
  return { reply: replies[0] ?? "none", replies: replies.length, lost: to - distinct, disorder, resumptions };
}

/** Kills the nodes that run the calls. */
async function loseRunners(context: ScenarioContext): Promise<readonly CallOutcome[]> {
  const { cluster, random, scale } = context;
  const outcomes: CallOutcome[] = [];
  for (let round = 0; round < Math.max(2, Math.ceil(scale.streamKills / 2)); round++) {
    const runner = random.pick(cluster.nodes);
    const nodes = cluster.nodes.filter((node) => node !== runner);
    const clients = await openClients(context, 4);
    const patience = () => Infinity;
    const calls = clients.map((client) =>
      followCall({ client, runner, nodes, to: 100, ms: 100, patience }, random).then((outcome) => {
        outcomes.push(outcome);
      }),
    );
    await sleep(random.between(300, 1_000));
    await cluster.replace(runner);
    await Promise.all(calls);
  }
  return outcomes;
}
