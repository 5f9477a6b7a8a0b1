/**
 * @fileoverview Kills a node while a client has work on both, and counts what arrives.
 * @module examples/cluster/demo
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, followTask, type Json, type Send } from "../tasks/client.js";
import { type Cluster, NODES } from "./cluster.js";
import { NEWS } from "./server.js";

const TASKS = 20;
const STEPS_PER_TASK = 20;
const CALLS_AT_ONCE = 4;
const EVENTS_PER_CALL = 30;
const UPDATES = 10;

/** Counts of a run. */
export interface Outcome {
  readonly tasks: { readonly correct: number; readonly takenOver: number; readonly total: number };
  readonly calls: { readonly completed: number; readonly reportedLost: number; readonly total: number };
  readonly events: { readonly received: number; readonly missing: number; readonly duplicated: number };
  readonly updates: { readonly received: number; readonly total: number };
  readonly session: { readonly isSame: boolean; readonly nodes: readonly string[] };
}

/** Opens a session, starts tasks and streamed calls, kills a node, and waits for everything. */
export async function runDemo(cluster: Cluster, print: (line: string) => void): Promise<Outcome> {
  const client = new Client({ name: "cluster-example", version: "1.0.0" });
  const updates: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updates.push(params.uri),
  );
  const transport = new StreamableHTTPClientTransport(new URL(cluster.url));
  await client.connect(transport);
  const session = transport.sessionId;
  await client.subscribeResource({ uri: NEWS });
  for (let count = 0; count < UPDATES / 2; count++) await publish(client);
  print("The client has opened a session through nginx, and subscribed to a resource.");

  const send = connect(cluster.url);
  const created = await Promise.all(Array.from({ length: TASKS }, (_, index) => createTask(send, index)));
  const tasks = Promise.all(created.map((task) => task.finish()));
  // A failure is reported below.
  tasks.catch(() => undefined);
  const calls = await startCalls(client);
  print(`${TASKS} tasks and ${calls.length} streamed calls run on both nodes.`);

  await cluster.kill("a");
  print("Node a was killed with SIGKILL.");
  const nodes = new Set<string>();
  for (let count = UPDATES / 2; count < UPDATES; count++) nodes.add(await publish(client));
  const finished = await tasks;
  const streamed = await Promise.all(calls.map((call) => call.outcome));
  for (let wait = 0; updates.length < UPDATES && wait < 100; wait++) await sleep(50);
  const isSame = transport.sessionId === session;
  await client.close();
  return {
    tasks: {
      correct: finished.filter(({ isCorrect }) => isCorrect).length,
      takenOver: finished.filter(({ isTakenOver }) => isTakenOver).length,
      total: TASKS,
    },
    calls: {
      completed: streamed.filter((end) => end === "completed").length,
      reportedLost: streamed.filter((end) => end === "lost").length,
      total: calls.length,
    },
    events: countEvents(calls),
    updates: { received: updates.length, total: UPDATES },
    session: { isSame, nodes: [...nodes] },
  };
}

/** Returns true if everything arrived, or was reported as lost with its node. */
export function isComplete({ tasks, calls, events, updates, session }: Outcome): boolean {
  return (
    tasks.correct === tasks.total &&
    calls.completed + calls.reportedLost === calls.total &&
    events.missing === 0 &&
    events.duplicated === 0 &&
    updates.received === updates.total &&
    session.isSame
  );
}

/** Creates a task. `finish` waits for its result. */
async function createTask(send: Send, index: number) {
  const numbers = Array.from({ length: STEPS_PER_TASK }, (_, step) => index + step);
  const expected = numbers.reduce((total, number) => total + number, 0);
  const { taskId } = await send("tools/call", { name: "add_up", arguments: { numbers } });
  const finish = async () => {
    const { result } = await followTask(repeating(send), String(taskId), {
      onStatus: () => undefined,
      answer: () => ({ action: "cancel" }),
    });
    const { sum, startedOn, finishedOn } = (result?.["structuredContent"] ?? {}) as Json;
    return { isCorrect: sum === expected, isTakenOver: startedOn !== finishedOn };
  };
  return { finish };
}

/**
 * Repeats requests that failed because their node was killed. nginx does not do this, because it does not know which
 * requests only read. `tasks/get` does.
 */
function repeating(send: Send): Send {
  return async (method, params) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, params);
      } catch (error) {
        if (attempt === 5) throw error;
        await sleep(100 * attempt);
      }
    }
  };
}

/** Starts streamed calls until each node runs some of them. */
async function startCalls(client: Client): Promise<readonly StreamedCall[]> {
  const calls: StreamedCall[] = [];
  while (!NODES.every((node) => calls.some((call) => call.node === node))) {
    const more = Array.from({ length: CALLS_AT_ONCE }, () => new StreamedCall(client));
    calls.push(...more);
    await Promise.all(more.map((call) => call.started));
  }
  return calls;
}

/** Call that streams its progress. The client resumes the stream on the other node if it breaks. */
class StreamedCall {
  readonly numbers: number[] = [];
  /** Node that runs the call, once it has sent an event. */
  node: string | undefined;
  /** Resolves with the first event. */
  readonly started: Promise<void>;
  readonly outcome: Promise<"completed" | "lost" | "failed">;

  constructor(client: Client) {
    const params = { name: "count_to", arguments: { total: EVENTS_PER_CALL } };
    let start = (): void => undefined;
    this.started = new Promise((resolve) => (start = resolve));
    const onprogress = ({ progress, message }: { progress: number; message?: string | undefined }) => {
      this.node = message;
      this.numbers.push(progress);
      start();
    };
    this.outcome = client.callTool(params, undefined, { onprogress }).then(
      () => (this.numbers.length === EVENTS_PER_CALL ? "completed" : "failed"),
      (error: unknown) => (/was lost/.test(String(error)) ? "lost" : "failed"),
    );
  }
}

/** Publishes an update on any node, and returns the node. */
async function publish(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "publish" });
  return (content as readonly { readonly text: string }[])[0]?.text ?? "";
}

/** Compares the numbers that each call received with an uninterrupted count. */
function countEvents(calls: readonly StreamedCall[]): Outcome["events"] {
  let [received, missing, duplicated] = [0, 0, 0];
  for (const { numbers } of calls) {
    const distinct = new Set(numbers);
    received += numbers.length;
    duplicated += numbers.length - distinct.size;
    missing += Math.max(0, ...numbers) - distinct.size;
  }
  return { received, missing, duplicated };
}
