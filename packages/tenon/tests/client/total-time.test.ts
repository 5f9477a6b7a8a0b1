import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Client, RemoteClientOptions } from "../../src/client/index.js";
import { connectHostile, connectProgram, type Received, reply } from "../support/client/hostile-peers.js";

const LIMITS: RemoteClientOptions = { limits: { maxTotalMs: 400 } };
const SHORT = { timeoutMs: 400 };
const failureOf = (method: string) => ({
  name: "ConnectionError",
  code: "timeout",
  message: `The server did not complete ${method} within 0.4 s. The option \`limits.maxTotalMs\` raises the limit.`,
});

/** Task that is always working. */
const TASK = { taskId: "t", status: "working", pollIntervalMs: 20 };
const ASK = {
  resultType: "input_required",
  inputRequests: { q: { method: "elicitation/create", params: {} } },
};

/** Creates a task that never ends, and collects the methods of all requests. */
const endlessTask = (methods: unknown[]) => (received: Received) => {
  methods.push(received.method);
  reply(received, received.method === "tools/call" ? { ...TASK, resultType: "task" } : TASK);
};

test("a task that never ends fails the call after the total time, and is cancelled, over HTTP", async () => {
  const methods: unknown[] = [];
  const client = await connectHostile(endlessTask(methods), LIMITS);
  await expect(client.callTool("a", {}, SHORT)).rejects.toMatchObject(failureOf("tools/call"));
  await vi.waitFor(() => expect(methods).toContain("tasks/cancel"), { timeout: 15_000 });
});

test("a task that never ends fails the call after the total time, over stdio", async () => {
  const client = await connectProgram(
    `send({ id, result: { ...${JSON.stringify(TASK)}, ...(method === "tools/call" ? { resultType: "task" } : {}) } });`,
    LIMITS,
  );
  await expect(client.callTool("a", {}, SHORT)).rejects.toMatchObject(failureOf("tools/call"));
});

test.each<[string, (client: Client) => Promise<unknown>]>([
  ["tools/call", (client) => client.callTool("a", {}, SHORT)],
  ["tools/call", (client) => client.startTask("a", {}, SHORT)],
  ["resources/read", (client) => client.readResource("a://b", SHORT)],
  ["prompts/get", (client) => client.getPrompt("a", {}, SHORT)],
])("rounds share the total time of %s", async (method, run) => {
  let rounds = 0;
  const client = await connectHostile(
    async (received) => {
      rounds++;
      await sleep(60);
      reply(received, ASK);
    },
    { ...LIMITS, input: () => ({ action: "decline" }) },
  );
  await expect(run(client)).rejects.toMatchObject(failureOf(method));
  expect(rounds).toBeLessThan(10);
});

test("a function that does not answer a round or a task ends with the total time", async () => {
  const options = { ...LIMITS, input: () => new Promise<never>(() => {}) };
  const rounds = await connectHostile((received) => reply(received, ASK), options);
  await expect(rounds.callTool("a", {}, SHORT)).rejects.toMatchObject(failureOf("tools/call"));
  const task = await connectHostile(
    (received) =>
      reply(
        received,
        received.method === "tools/call"
          ? { ...TASK, resultType: "task" }
          : { ...TASK, ...ASK, status: "input_required" },
      ),
    options,
  );
  await expect(task.callTool("a", {}, SHORT)).rejects.toMatchObject(failureOf("tools/call"));
});

test("the handle of a task waits as long as its signal allows", async () => {
  const methods: unknown[] = [];
  const client = await connectHostile(endlessTask(methods), LIMITS);
  const task = await client.startTask("a");
  const stop = new AbortController();
  const result = task.result({ signal: stop.signal });
  result.catch(() => undefined);
  await sleep(800);
  const polls = methods.length;
  await vi.waitFor(() => expect(methods.length).toBeGreaterThan(polls), { timeout: 15_000 });
  stop.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
});
