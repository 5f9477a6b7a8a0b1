import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Connection } from "../../src/core/wire/connection.js";
import { form } from "../../src/index.js";
import { type JsonRpcNotification, META } from "../../src/protocol/index.js";
import { createTaskEngine, type TaskEngine } from "../../src/tasks/index.js";
import {
  accept,
  CAPABILITIES,
  connect,
  createErrorLog,
  createGate,
  createTaskClock,
  type Gate,
  MODERN,
  taskServer,
  turn,
} from "../support/tasks/task-client.js";

const QUESTIONS = ["one", "two", "three", "four"];

/** Connects to a server whose engine counts reads and fails on demand. */
async function setUp() {
  const clock = createTaskClock();
  const inner = createTaskEngine({ ports: clock.ports });
  const failing = new Set<"read" | "watch">();
  const counts = { read: 0, watch: 0 };
  let beforeWrite: () => void = () => undefined;
  const onWrite = (listener: () => void) => {
    beforeWrite = listener;
  };
  const guard = (name: "read" | "watch") => {
    counts[name]++;
    if (failing.has(name)) throw new Error(`${name} failed`);
  };
  const engine: TaskEngine = {
    create: (record) => inner.create(record),
    async read(taskId) {
      guard("read");
      return inner.read(taskId);
    },
    write(change) {
      beforeWrite();
      return inner.write(change);
    },
    async watch(taskId, listener) {
      guard("watch");
      return inner.watch(taskId, listener);
    },
    work: (worker) => inner.work(worker),
    close: () => inner.close(),
  };
  const { errors, log } = createErrorLog();
  const server = taskServer({ engine, ttlMs: 3_600_000 }, { log, ports: clock.ports })
    .tool("quick", { task: "optional", handler: () => "quick" })
    .tool("ask", {
      task: "optional",
      async handler(_args, call) {
        const ask = (key: string) =>
          call.input(key, form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) }));
        await Promise.all(QUESTIONS.map(ask));
        return "asked";
      },
    })
    .build();
  const client = await connect(server);
  /** Opens a stream whose transport calls `notify` for each notification about a task. */
  const listen = (taskIds: readonly string[], notify: (task: JsonObject) => Promise<void> | undefined) => {
    const connection = new Connection();
    onTestFinished(() => connection.close());
    const request = {
      jsonrpc: "2.0" as const,
      id: 1,
      method: "subscriptions/listen",
      params: {
        notifications: { taskIds },
        _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: CAPABILITIES },
      },
    };
    const exchange = {
      connection,
      notify: ({ method, params = {} }: JsonRpcNotification) =>
        method === "notifications/tasks" ? notify(params) : undefined,
    };
    void server.handle(request, undefined, exchange);
    return { close: () => connection.close() };
  };
  return { ...client, clock, failing, counts, errors, listen, onWrite };
}

/** Creates a transport that sends each notification only when the test says so. */
function createSlowTransport() {
  const sent: JsonObject[] = [];
  const gates: Gate[] = [];
  const notify = (task: JsonObject) => {
    sent.push(task);
    const gate = createGate();
    gates.push(gate);
    return gate.promise;
  };
  /** Waits for a number of notifications, and checks that there are no more. */
  const wait = async (count: number) => {
    await expect.poll(() => sent.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
    await turn();
    expect(sent).toHaveLength(count);
  };
  return { sent, notify, wait, finish: () => gates.at(-1)?.open() };
}

describe("a stream with several tasks", () => {
  test("reads and sends a task only after the previous notification was sent", async () => {
    const { run, counts, listen } = await setUp();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await run("quick")).taskId);
    await turn();
    counts.read = 0;
    const { sent, notify, wait, finish } = createSlowTransport();
    listen(ids, notify);
    for (let count = 1; count <= ids.length; count++) {
      await wait(count);
      // Each task is read once when the request is checked.
      expect(counts.read).toBe(ids.length + count);
      finish();
    }
    await wait(ids.length);
    expect(sent.map(({ taskId, status }) => [taskId, status])).toEqual(ids.map((id) => [id, "completed"]));
  });

  test("combines the changes of a task while the transport is busy", async () => {
    const { create, until, answer, settled, listen } = await setUp();
    const ids = [await create("ask"), await create("ask")];
    for (const taskId of ids) await until(taskId, "input_required");
    const { sent, notify, wait, finish } = createSlowTransport();
    listen(ids, notify);
    await wait(1);
    finish();
    await wait(2);
    for (const taskId of ids)
      for (const key of QUESTIONS) await answer(taskId, { [key]: accept({ ok: true }) });
    for (const taskId of ids) await settled(taskId);
    await wait(2);
    finish();
    await wait(3);
    finish();
    await wait(4);
    finish();
    await wait(4);
    expect(sent.slice(2).map(({ taskId, status }) => [taskId, status])).toEqual(
      ids.map((id) => [id, "completed"]),
    );
  });

  test("sends one task per turn of the event loop, even if the transport is fast", async () => {
    const { run, listen } = await setUp();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await run("quick")).taskId);
    let now = 0;
    const turns: number[] = [];
    listen(ids, () => {
      turns.push(now);
      return undefined;
    });
    while (turns.length < ids.length) {
      await turn(1);
      now++;
    }
    expect(new Set(turns).size).toBe(ids.length);
  });

  test("sends nothing after it was closed", async () => {
    const { run, counts, listen } = await setUp();
    const ids = [(await run("quick")).taskId, (await run("quick")).taskId];
    const { notify, wait, finish } = createSlowTransport();
    const { close } = listen(ids, notify);
    await wait(1);
    counts.read = 0;
    close();
    finish();
    await wait(1);
    expect(counts.read).toBe(0);
  });
});

describe("an engine that fails while a stream is open", () => {
  test("to read: the final state is sent later, and only the first failure is logged", async () => {
    const { client, clock, create, until, settled, failing, counts, errors } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    const stream = client.listen({ taskIds: [taskId] });
    onTestFinished(() => stream.stop());
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
    const timers = clock.timers();
    failing.add("read");
    // The stream reads the task when its lifetime ends.
    clock.advance(3_600_000);
    await expect.poll(() => errors.map(String), { interval: 2 }).toEqual(["Error: read failed"]);
    for (const delay of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers);
      counts.read = 0;
      clock.advance(delay - 1);
      await turn();
      expect(counts.read).toBe(0);
      clock.advance(1);
      await expect.poll(() => counts.read, { interval: 2 }).toBe(1);
    }
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers);
    failing.clear();
    clock.advance(10_000);
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(3);
    expect(client.notifications[2]?.params).toMatchObject({ taskId, status: "failed" });
    expect((await settled(taskId)).status).toBe("failed");
    expect(errors).toHaveLength(1);
    expect(clock.timers()).toBe(timers - 1);
  });

  test("to read a change: the change is sent later", async () => {
    const { client, clock, create, until, answer, failing, errors, onWrite } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    const stream = client.listen({ taskIds: [taskId] });
    onTestFinished(() => stream.stop());
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
    const timers = clock.timers();
    onWrite(() => failing.add("read"));
    await answer(taskId, { one: accept({ ok: true }) });
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers + 1);
    expect(errors.map(String)).toEqual(["Error: read failed"]);
    expect(client.notifications).toHaveLength(2);
    failing.clear();
    clock.advance(100);
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(3);
    expect(Object.keys(client.notifications[2]?.params?.["inputRequests"] as JsonObject)).toEqual(
      QUESTIONS.slice(1),
    );
  });

  test("to watch: the task is followed as soon as the engine works again", async () => {
    const { client, clock, create, until, answer, failing, errors } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    await turn();
    const timers = clock.timers();
    failing.add("watch");
    const stream = client.listen({ taskIds: [taskId] });
    onTestFinished(() => stream.stop());
    for (const delay of [100, 200]) {
      await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers + 1);
      clock.advance(delay);
      await turn();
    }
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers + 1);
    expect(client.notifications).toHaveLength(1);
    expect(errors.map(String)).toEqual(["Error: watch failed"]);
    failing.clear();
    clock.advance(400);
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
    expect(client.notifications[1]?.params).toMatchObject({ taskId, status: "input_required" });
    await answer(taskId, { one: accept({ ok: true }) });
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(3);
    expect(errors).toHaveLength(1);
  });

  test("until the client ends the stream: nothing is tried again", async () => {
    const { client, clock, create, until, failing, counts } = await setUp();
    const taskId = await create("ask");
    await until(taskId, "input_required");
    await turn();
    const timers = clock.timers();
    failing.add("watch");
    const stream = client.listen({ taskIds: [taskId] });
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers + 1);
    counts.watch = 0;
    stream.stop();
    await expect.poll(() => clock.timers(), { interval: 2 }).toBe(timers);
    clock.advance(60_000);
    await turn();
    expect(counts.watch).toBe(0);
  });
});
