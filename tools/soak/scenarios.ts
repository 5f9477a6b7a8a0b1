/**
 * @fileoverview What a client of the soak test does on its connection, on every transport. Each scenario checks all
 * responses exactly.
 * @module tools/soak/scenarios
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../random.js";
import { Cancelled, type Era, ErrorResponse, type Json, type SoakClient } from "./client.js";
import type { Tally } from "./tally.js";

/** Parts of a scenario. */
export interface Scene {
  readonly client: SoakClient;
  readonly random: Random;
  readonly tally: Tally;
}

/** One scenario. @throws if a response is wrong */
export type Scenario = (scene: Scene) => Promise<void>;

let lastText = 0;

/** Returns a text that no other call has. */
function uniqueText(): string {
  return `text ${++lastText}`;
}

/** Checks a value. @throws if it differs */
export function expectEqual(what: string, value: unknown, expected: unknown): void {
  if (isDeepStrictEqual(value, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}; got ${JSON.stringify(value)}`);
}

function textOf(result: Json): unknown {
  return (result["content"] as readonly Json[] | undefined)?.[0]?.["text"]; // Safe: only read
}

const calls: Scenario = async ({ client, random }) => {
  const texts = Array.from({ length: random.between(1, 8) }, uniqueText);
  const results = await Promise.all(texts.map((text) => client.call("echo", { text })));
  expectEqual("echo", results.map(textOf), texts);
  const [a, b] = [random.between(0, 999), random.between(0, 999)];
  expectEqual("add", (await client.call("add", { a, b }))["structuredContent"], { sum: a + b });
};

const lists: Scenario = async ({ client }) => {
  const { tools } = (await client.request("tools/list")) as { readonly tools: readonly Json[] };
  expectEqual("tools", tools.map(({ name }) => String(name)).toSorted(), [
    "add",
    "ask",
    "count",
    "echo",
    "ended",
    "fail",
    "job",
    "large",
    "renew",
    "renewed",
    "stubborn",
    "touch",
    "wait",
  ]);
  const read = await client.request("resources/read", { uri: "soak://page/7" });
  expectEqual("page", (read["contents"] as readonly Json[])[0]?.["text"], "Page 7"); // Safe: only read
  const greeting = await client.request("prompts/get", { name: "greet", arguments: { name: "Ada" } });
  expectEqual("messages", (greeting["messages"] as readonly Json[]).length, 1); // Safe: only read
  const ref = { type: "ref/resource", uri: "soak://page/{number}" };
  const argument = { name: "number", value: "1" };
  const { completion } = await client.request("completion/complete", { ref, argument });
  expectEqual("completion", (completion as Json)["values"], ["10", "11"]); // Safe: only read
};

const progress: Scenario = async ({ client, random }) => {
  const to = random.between(1, 10);
  const numbers: number[] = [];
  const onProgress = (number: number) => numbers.push(number);
  const result = await client.call("count", { to, ms: random.between(0, 5) }, { onProgress });
  expectEqual("count", textOf(result), `counted to ${to}`);
  expectEqual(
    "progress",
    numbers,
    Array.from({ length: to }, (_, index) => index + 1),
  );
};

const cancelled: Scenario = async ({ client, tally }) => {
  const text = uniqueText();
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  const outcome = await client
    .call("wait", { text }, { signal: controller.signal, onProgress })
    .catch((error: unknown) => error);
  if (!(outcome instanceof Cancelled) && !controller.signal.aborted) throw outcome;
  expectEqual("cancelled call", textOf(await client.call("ended", { text })), "ended");
  tally.add("cancelled calls");
};

/**
 * Starts a call and leaves it running. The connection is then closed, which cancels the call. Only a session over HTTP
 * lets the call go on, because its client may come back.
 */
export const abandoned: Scenario = async ({ client }) => {
  const ms = client.era === "legacy" ? 1_000 : 60_000;
  await new Promise<void>((resolve, reject) => {
    client.call("wait", { text: "", ms }, { onProgress: () => resolve() }).catch(reject);
  });
};

const questions: Scenario = async ({ client }) => {
  const text = uniqueText();
  const answers = [`${text} word`, `${text} decline`];
  const answer = textOf(await client.call("ask", { text }));
  if (!answers.includes(String(answer))) expectEqual("ask", answer, answers[0]);
};

const failures: Scenario = async ({ client, random, tally }) => {
  const isModern = client.era === "modern";
  const cases: readonly (readonly [string, Json, number])[] = [
    ["tools/call", { name: "missing", arguments: {} }, isModern ? -32602 : -32601],
    ["no/such/method", {}, -32601],
    ["resources/read", { uri: "soak://missing" }, isModern ? -32602 : -32002],
    ["prompts/get", { name: "missing" }, -32602],
  ];
  const [method, params, code] = random.pick(cases);
  const outcome = await client.request(method, params).catch((error: unknown) => error);
  if (!(outcome instanceof ErrorResponse)) throw new Error(`${method} did not fail: ${String(outcome)}`);
  expectEqual(`code of ${method}`, outcome.code, code);
  const failed = await client.call("fail");
  expectEqual("fail", [failed["isError"], textOf(failed)], [true, "Tool fail failed"]);
  const invalid = await client.call("add", { a: "one", b: 2 });
  expectEqual("invalid arguments", invalid["isError"], true);
  tally.add("invalid requests", 3);
};

const changes: Scenario = async (scene) => {
  const { client, tally } = scene;
  if (client.era === "modern") return listen(scene);
  // A URI that no other call on this connection uses.
  const uri = `soak://page/${++lastText}`;
  await client.request("resources/subscribe", { uri });
  const updated = client.heard("notifications/resources/updated", uri);
  await client.call("touch", { text: uri });
  await updated;
  await client.request("resources/unsubscribe", { uri });
  const changed = client.heard("notifications/tools/list_changed");
  await client.call("renew");
  await changed;
  tally.add("change notifications", 2);
};

async function listen({ client, tally }: Scene): Promise<void> {
  const controller = new AbortController();
  const uri = `soak://page/${++lastText}`;
  const notifications = { resourceSubscriptions: [uri], toolsListChanged: true };
  const acknowledged = client.heard("notifications/subscriptions/acknowledged", uri);
  const ended = client.request("subscriptions/listen", { notifications }, { signal: controller.signal }).then(
    () => new Error("the stream ended by itself"),
    (error: unknown) => error,
  );
  await acknowledged;
  const updated = client.heard("notifications/resources/updated", uri);
  await client.call("touch", { text: uri });
  await updated;
  const changed = client.heard("notifications/tools/list_changed");
  await client.call("renew");
  await changed;
  controller.abort();
  const reason = await ended;
  if (!(reason instanceof Cancelled)) throw reason;
  tally.add("listen streams");
  tally.add("change notifications", 2);
}

async function followTask({ client, random, tally }: Scene, isCancelled: boolean): Promise<void> {
  const text = uniqueText();
  const asks = random.chance(0.5);
  const ms = isCancelled ? 60_000 : random.between(0, 40);
  const created = await client.call("job", { text, ms, asks });
  const taskId = String(created["taskId"]);
  expectEqual("type of the result", created["resultType"], "task");
  tally.add("tasks");
  for (let [isAnswered, isCancelSent] = [false, false]; ;) {
    const task = await client.request("tasks/get", { taskId });
    const { status, inputRequests } = task;
    if (status === "input_required" && !isAnswered) {
      isAnswered = true;
      const inputResponses = client.answerAll(inputRequests);
      await client.request("tasks/update", { taskId, inputResponses });
    } else if (status === "completed") {
      const words = asks ? [`${text} word`, `${text} decline`] : [text];
      const result = String(textOf(task["result"] as Json)); // Safe: only read
      if (isCancelled || !words.includes(result)) throw new Error(`the task returned ${result}`);
      return;
    } else if (status === "cancelled" && isCancelled) {
      tally.add("tasks cancelled");
      return;
    } else if (status !== "working" && status !== "input_required") {
      throw new Error(`the status of the task is ${String(status)}`);
    } else if (isCancelled && !isCancelSent && (isAnswered || !asks)) {
      isCancelSent = true;
      await client.request("tasks/cancel", { taskId });
    }
    await sleep(random.between(5, 30));
  }
}

/**
 * Cancels a task whose handler ignores that. After ten seconds, the handler loses its place among the running tasks, and
 * it ends a second later. If places were not given back, all tasks would have to wait after a while.
 */
const abandonedTask: Scenario = async ({ client, tally }) => {
  if (performance.now() < nextAbandoned) return;
  nextAbandoned = performance.now() + ABANDON_EVERY_MS;
  const taskId = String((await client.call("stubborn"))["taskId"]);
  await client.request("tasks/cancel", { taskId });
  tally.add("tasks abandoned");
};

let nextAbandoned = 0;
const ABANDON_EVERY_MS = 500;

const COMMON: Readonly<Record<string, Scenario>> = {
  calls,
  lists,
  progress,
  cancelled,
  questions,
  failures,
  changes,
};

/** Scenarios of each era by name. Only the stateless revision has tasks. */
export const SCENARIOS: Readonly<Record<Era, Readonly<Record<string, Scenario>>>> = {
  legacy: COMMON,
  modern: {
    ...COMMON,
    tasks: (scene) => followTask(scene, false),
    "abandoned tasks": abandonedTask,
    "cancelled tasks": (scene) => followTask(scene, true),
  },
};
