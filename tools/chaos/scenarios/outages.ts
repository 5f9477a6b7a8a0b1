/**
 * @fileoverview Redis that is paused, restarted, killed, and cut off while the nodes serve requests and run tasks.
 * @module tools/chaos/scenarios/outages
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosNode } from "../node-group.js";
import { forEachLimited, waitFor } from "../http.js";
import { type Run, toRuns } from "../journal.js";
import type { LegacyClient } from "../legacy-client.js";
import type { GroupContext, ScenarioContext } from "../scale.js";
import { callTool, createTask, getTask, isTerminal, send, textOf, type WireTask } from "../task-client.js";
import { openClients } from "./resumption.js";
import { type Probe, Traffic } from "./traffic.js";

/** Task whose outcome is judged at the end. */
export interface Running {
  readonly taskId: string;
  readonly name: string;
  readonly n: number;
  /** Time in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Principal of these tasks. */
export const PRINCIPAL = "witness";

/** Runs the scenario. */
export async function outages(context: ScenarioContext): Promise<void> {
  const { cluster, figures, print } = context;
  const clients = await openClients(context, cluster.nodes.length);
  const running: Running[] = [];
  const probes = await createProbes(context, clients, running);
  const traffic = new Traffic(cluster.nodes, probes);
  await sleep(500);
  const before = cluster.nodes.map((node) => node.megabytes);
  const backs = new Map<string, number>();
  for (const [name, outage] of Object.entries(OUTAGES)) {
    await startTasks(context, running, 10);
    await outage(context);
    const since = performance.now();
    await Promise.all(cluster.nodes.flatMap((node) => probes.map((probe) => untilBack(node, probe))));
    backs.set(name, performance.now() - since);
    print(`${new Date().toISOString()} ${name}: service back after ${Math.round(backs.get(name) ?? 0)} ms`);
  }
  const growth = Math.max(...cluster.nodes.map((node, index) => node.megabytes - (before[index] ?? 0)));
  await traffic.stop();
  for (const [name, ms] of backs) figures.within(`service back after: ${name}`, ms, 2_000);
  const { requests, failures, hung, slowestMs, failedWithoutStore, reasons } = traffic.tally;
  for (const reason of reasons) print(`failed without Redis: ${reason}`);
  figures.note("requests during the outages", `${requests}, ${failures} of them failed`);
  figures.exactly("requests without a response", hung, 0);
  figures.within("slowest response", slowestMs, 5_000);
  figures.exactly("failed requests that do not need Redis", failedWithoutStore, 0);
  figures.megabytes("memory growth of a node", growth, 150);
  figures.atLeast("tasks created", running.length, 50);
  await judgeTasks(context, running);
}

/** Faults, each over when its function resolves. */
const OUTAGES: Readonly<Record<string, (context: ScenarioContext) => Promise<void>>> = {
  "Redis paused": async ({ cluster, scale }) => {
    cluster.redis.pause();
    await sleep(scale.pauseMs);
    cluster.redis.resume();
  },
  "Redis restarted": ({ cluster }) => cluster.redis.restart(),
  "Redis killed": async ({ cluster }) => {
    await cluster.redis.kill();
    await sleep(1_000);
    await cluster.redis.restart();
  },
  "connections cut": ({ cluster }) => cluster.proxy.cut(),
  "responses lost": async ({ cluster }) => {
    await cluster.proxy.loseResponses();
    await sleep(1_000);
    await cluster.proxy.cut();
  },
  "connections rejected": async ({ cluster }) => {
    await cluster.proxy.refuse();
    await cluster.proxy.cut();
    await sleep(2_000);
    await cluster.proxy.accept();
  },
};

/** Returns one request of each kind. */
async function createProbes(
  context: ScenarioContext,
  clients: readonly LegacyClient[],
  running: Running[],
): Promise<readonly Probe[]> {
  const { cluster } = context;
  const known = await createTask(() => cluster.node(0), PRINCIPAL, { name: "work", args: { n: 0, ms: 1 } });
  let count = 0;
  const create = async (node: ChaosNode) => {
    const n = ++count;
    const args = { n, ms: 20 };
    const response = await callTool(node, PRINCIPAL, { name: "work", args });
    const taskId = response.result?.["taskId"];
    if (typeof taskId === "string") running.push({ taskId, name: "work", n, createdAt: Date.now() });
    return response;
  };
  return [
    {
      name: "call",
      needsStore: false,
      send: (node) => callTool(node, PRINCIPAL, { name: "echo", args: { text: "probe" } }),
    },
    { name: "create a task", needsStore: true, send: create },
    {
      name: "read a task",
      needsStore: true,
      send: (node) => send(node, { principal: PRINCIPAL, method: "tasks/get", params: { taskId: known } }),
    },
    {
      name: "call in a session",
      needsStore: true,
      send: (node) => {
        const client = clients[node.slot % clients.length] as LegacyClient; // Safe: there is one client per node
        return client.request(node, "tools/call", { name: "echo", arguments: { text: "session" } });
      },
    },
  ];
}

/** Starts tasks that run during the next outage. */
async function startTasks(
  { cluster, random }: ScenarioContext,
  running: Running[],
  count: number,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => 1_000_000 + running.length + index);
  await forEachLimited(numbers, 5, async (n) => {
    const name = n % 2 === 0 ? "work" : "fragile";
    const tool = { name, args: { n, ms: random.between(300, 3_000) } };
    const taskId = await createTask(() => random.pick(cluster.nodes), PRINCIPAL, tool);
    running.push({ taskId, name, n, createdAt: Date.now() });
  });
}

/** Sends a request until it succeeds. */
async function untilBack(node: ChaosNode, probe: Probe): Promise<void> {
  await waitFor("the service is back", 30_000, async () => {
    const { result } = await probe.send(node);
    return result === undefined ? undefined : true;
  });
}

/** Waits for the ends of all tasks, and judges them. */
export async function judgeTasks(
  { cluster, random, figures, print }: GroupContext,
  running: readonly Running[],
): Promise<void> {
  let lost = 0;
  let wrong = 0;
  await forEachLimited(running, 16, async (one) => {
    const { taskId, name, n } = one;
    const task = await waitFor("a task finishes", 60_000, async () => {
      const found = await getTask(random.pick(cluster.nodes), PRINCIPAL, taskId);
      return found !== undefined && isTerminal(found) ? found : undefined;
    }).catch(() => undefined);
    if (task === undefined) lost++;
    else if (task.status !== "completed" || textOf(task) !== `${PRINCIPAL} ${name} ${n}`) {
      wrong++;
      print(describeFailure(one, task, toRuns(cluster.readJournal()).get(taskId) ?? []));
    }
  });
  figures.exactly("tasks lost", lost, 0);
  figures.exactly("tasks that failed or have a wrong result", wrong, 0);
}

/** Returns the end of a task and its runs, with times since its creation. */
function describeFailure(
  { name, n, createdAt }: Running,
  { status, error }: WireTask,
  runs: readonly Run[],
): string {
  const since = (at: number | undefined) => (at === undefined ? "never" : `${at - createdAt} ms`);
  const spans = runs.map((run) => `${run.pid} from ${since(run.beganAt)} to ${since(run.endedAt)}`);
  const runText = spans.length === 0 ? "no run" : spans.join(", ");
  return `${name} ${n}, created ${new Date(createdAt).toISOString()}: ${status} (${error?.message ?? ""}); ${runText}`;
}
