import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { form } from "../../src/index.js";
import { type JsonRpcNotification, META } from "../../src/protocol/index.js";
import { createTaskEngine, type TaskEngine } from "../../src/tasks/index.js";
import { toDetailedTask } from "../../src/tasks/state/record.js";
import { createClient } from "../../src/testing/index.js";
import {
  accept,
  connect,
  createGate,
  errorOf,
  EXTENSION,
  MISSING_EXTENSION,
  MODERN,
  type TaskClient,
  taskServer,
  turn,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });

/** Creates a server whose task reports progress, asks a question, and ends, one gate at a time. */
function newServer() {
  const gates = [createGate(), createGate(), createGate()];
  const server = taskServer()
    .tool("report", {
      task: "optional",
      async handler(_args, call) {
        await gates[0]?.promise;
        await call.progress(1, 2, "Half of the pages");
        await call.log("error", "not for the client");
        await gates[1]?.promise;
        await call.input("sure", SURE);
        await gates[2]?.promise;
        return "done";
      },
    })
    .tool("block", { task: "optional", handler: () => createGate().promise })
    .tool("quick", { task: "optional", handler: () => "quick" })
    .build();
  return { server, open: (index: number) => gates[index]?.open() };
}

/** Opens a stream that ends with the test. */
function listen({ client }: TaskClient, notifications: JsonObject) {
  const stream = client.listen(notifications);
  onTestFinished(() => stream.stop());
  return stream;
}

/** Waits for a number of notifications and returns the last one. */
async function received({ client }: TaskClient, count: number): Promise<JsonRpcNotification> {
  await expect.poll(() => client.notifications.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
  await turn();
  expect(client.notifications.map(({ method }) => method)).toHaveLength(count);
  return client.notifications[count - 1] as JsonRpcNotification;
}

/** Returns the task in a notification, without the subscription. */
function taskOf({ params = {} }: JsonRpcNotification): JsonObject {
  const { _meta, ...task } = params;
  return task;
}

/** Returns the ID of the stream that a notification belongs to. */
function subscriptionOf({ params = {} }: JsonRpcNotification): unknown {
  return (params["_meta"] as JsonObject)[META.subscriptionId];
}

/** Returns what `tasks/get` says now, without the envelope of the result. */
async function got({ get }: TaskClient, taskId: string): Promise<JsonObject> {
  const { _meta, resultType: _type, ...task } = await get(taskId);
  return task;
}

describe("a listen stream with task IDs", () => {
  test("is acknowledged first, and each notification equals what `tasks/get` says at that time", async () => {
    const { server, open } = newServer();
    const client = await connect(server);
    const taskId = await client.create("report", {}, { _meta: { progressToken: 9 } });
    listen(client, { taskIds: [taskId] });
    await received(client, 2);
    const id = client.client.notifications.map(subscriptionOf)[0];
    expect(client.client.notifications[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { taskIds: [taskId] }, _meta: { [META.subscriptionId]: id } },
    });
    expect(typeof id).toBe("number");

    const statuses: unknown[] = [];
    const compare = async (count: number) => {
      const notification = await received(client, count);
      expect(notification.method).toBe("notifications/tasks");
      expect(notification.params?.["_meta"]).toEqual({ [META.subscriptionId]: id });
      expect(taskOf(notification)).toEqual(await got(client, taskId));
      const { status, statusMessage } = taskOf(notification);
      statuses.push([status, statusMessage]);
    };
    await compare(2);
    open(0);
    await compare(3);
    open(1);
    await compare(4);
    await client.answer(taskId, { sure: accept({ ok: true }) });
    await compare(5);
    open(2);
    await compare(6);
    expect(statuses).toEqual([
      ["working", undefined],
      ["working", "Half of the pages"],
      ["input_required", "Half of the pages"],
      ["working", "Half of the pages"],
      ["completed", "Half of the pages"],
    ]);
    await client.cancel(taskId);
    await received(client, 6);
  });

  test("partial answers are changes too", async () => {
    const server = taskServer()
      .tool("both", {
        task: "optional",
        handler: async (_args, call) => {
          await Promise.all([call.input("one", SURE), call.input("two", SURE)]);
          return "";
        },
      })
      .build();
    const client = await connect(server);
    const taskId = await client.create("both");
    await client.until(taskId, "input_required");
    listen(client, { taskIds: [taskId] });
    expect(Object.keys(taskOf(await received(client, 2))["inputRequests"] as JsonObject)).toEqual([
      "one",
      "two",
    ]);
    await client.answer(taskId, { two: accept({ ok: true }) });
    const rest = await received(client, 3);
    expect(Object.keys(taskOf(rest)["inputRequests"] as JsonObject)).toEqual(["one"]);
    expect(taskOf(rest)).toEqual(await got(client, taskId));
    await client.answer(taskId, { unknown: true });
    await received(client, 3);
  });

  test("many changes: each notification is a state of the task, in order, and the last one is final", async () => {
    const { engine, history } = recordingEngine();
    const server = taskServer({ engine })
      .tool("count", {
        task: "optional",
        async handler(_args, call) {
          for (let step = 1; step <= 50; step++) {
            await call.progress(step, 50);
            await turn(step % 3);
            if (step % 10 === 0) await call.input(`sure ${step}`, SURE);
          }
          return "counted";
        },
      })
      .build();
    const client = await connect(server);
    const taskId = await client.create("count");
    listen(client, { taskIds: [taskId] });
    for (let step = 10; step <= 50; step += 10) {
      await client.until(taskId, "input_required");
      await client.answer(taskId, { [`sure ${step}`]: accept({ ok: true }) });
    }
    const final = await client.settled(taskId);
    const { notifications } = client.client;
    await expect.poll(() => notifications.at(-1)?.params?.["status"], { interval: 2 }).toBe(final.status);
    const states = notifications.slice(1).map((one) => JSON.stringify(taskOf(one)));
    let place = -1;
    for (const state of states) {
      // Two states are equal if the question between them was answered in the same millisecond.
      place = history.indexOf(state, place + 1);
      expect(place, `${state} is not a later state of the task`).toBeGreaterThanOrEqual(0);
    }
    expect(states.filter((state) => state.includes("input_required")).length).toBeGreaterThanOrEqual(1);
    expect(states.at(-1)).toBe(history.at(-1));
    const methods = new Set(notifications.slice(1).map(({ method }) => method));
    expect(methods).toEqual(new Set(["notifications/tasks"]));
  });

  test("sends the final state of a finished task once", async () => {
    const client = await connect(newServer().server);
    const done = await client.run("quick");
    listen(client, { taskIds: [done.taskId] });
    expect(taskOf(await received(client, 2))).toEqual(await got(client, done.taskId));
  });

  test("reports the end of a cancelled task", async () => {
    const client = await connect(newServer().server);
    const taskId = await client.create("report");
    listen(client, { taskIds: [taskId] });
    await received(client, 2);
    const other = await client.create("report");
    await client.cancel(other);
    await received(client, 2);
  });

  test("leaves out unknown IDs and names each task once", async () => {
    const client = await connect(newServer().server);
    const taskId = await client.create("block");
    listen(client, { taskIds: [taskId, "unknown", taskId, "x".repeat(5_000)] });
    await received(client, 2);
    expect(client.client.notifications[0]?.params).toMatchObject({ notifications: { taskIds: [taskId] } });
  });

  test("accepts an empty list", async () => {
    const client = await connect(newServer().server);
    listen(client, { taskIds: [] });
    expect((await received(client, 1)).params).toMatchObject({ notifications: { taskIds: [] } });
  });

  test("can be combined with list changes", async () => {
    const { server } = newServer();
    const client = await connect(server);
    const taskId = await client.create("block");
    listen(client, { toolsListChanged: true, taskIds: [taskId] });
    await received(client, 2);
    const [acknowledged] = client.client.notifications;
    expect(acknowledged?.params?.["notifications"]).toEqual({ toolsListChanged: true, taskIds: [taskId] });
    server.update((editor) => editor.tool("more", { handler: () => "" }));
    expect(await received(client, 3)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: acknowledged?.params?.["_meta"] },
    });
  });

  test("without task IDs says nothing about tasks", async () => {
    const client = await connect(newServer().server);
    listen(client, { toolsListChanged: true });
    await received(client, 1);
    await client.run("quick");
    expect(client.client.notifications[0]?.params?.["notifications"]).toEqual({ toolsListChanged: true });
    await received(client, 1);
  });

  test("two streams have their own IDs", async () => {
    const client = await connect(newServer().server);
    const taskId = await client.create("block");
    listen(client, { taskIds: [taskId] });
    await received(client, 2);
    listen(client, { taskIds: [taskId] });
    await received(client, 4);
    const ids = client.client.notifications.map(subscriptionOf);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  test("ends with a response when the server closes", async () => {
    const { server } = newServer();
    const client = await connect(server);
    const taskId = await client.create("block");
    const stream = listen(client, { taskIds: [taskId] });
    await received(client, 2);
    const _meta = client.client.notifications[0]?.params?.["_meta"] as JsonObject;
    server.close();
    const end = await stream.ended;
    expect(end).toMatchObject({ resultType: "complete", _meta });
  });

  test("stops watching its tasks when the client ends it", async () => {
    const { engine, watchers } = recordingEngine();
    const server = taskServer({ engine })
      .tool("ask", {
        task: "optional",
        handler: async (_args, call) => (await call.input("sure", SURE)).action,
      })
      .build();
    const client = await connect(server);
    const ids = await Promise.all(Array.from({ length: 10 }, () => client.create("ask")));
    for (const taskId of ids) await client.until(taskId, "input_required");
    await expect.poll(watchers, { interval: 2 }).toBe(0);
    const stream = client.client.listen({ taskIds: ids });
    await received(client, 11);
    expect(watchers()).toBe(10);
    stream.stop();
    await expect.poll(watchers, { interval: 2 }).toBe(0);
    for (const taskId of ids) await client.answer(taskId, { sure: accept({ ok: true }) });
    for (const taskId of ids) await client.settled(taskId);
    await received(client, 11);
  });
});

describe("a rejected listen request", () => {
  test("too many IDs", async () => {
    const { client } = await connect(newServer().server);
    const ids = (length: number) => Array.from({ length }, (_, index) => `unknown ${index}`);
    const listenTo = (taskIds: unknown) =>
      client.request("subscriptions/listen", { notifications: { taskIds } });
    expect(await errorOf(listenTo(ids(1_001)))).toEqual({
      code: -32602,
      message: "`taskIds` has 1001 items (limit: 1000).",
    });
    const stream = client.listen({ taskIds: ids(1_000) });
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(1);
    stream.stop();
  });

  test.each<[unknown, string]>([
    ["all", "a string"],
    [null, "null"],
    [{}, "an object"],
    [[1], "an array"],
  ])("wrong IDs: %o", async (taskIds, got) => {
    const { client } = await connect(newServer().server);
    const request = client.request("subscriptions/listen", { notifications: { taskIds } });
    expect(await errorOf(request)).toEqual({
      code: -32602,
      message: `\`taskIds\` must be an array of strings; got ${got}.`,
    });
    expect(client.notifications).toEqual([]);
  });

  test("a client that did not declare the extension", async () => {
    const client = await createClient(newServer().server, { revision: MODERN });
    const notifications = { taskIds: ["unknown"], toolsListChanged: true };
    expect(await errorOf(client.request("subscriptions/listen", { notifications }))).toEqual({
      code: -32021,
      message: `The client must declare the extension "${EXTENSION}" in this request.`,
      data: MISSING_EXTENSION,
    });
    expect(client.notifications).toEqual([]);
  });

  test("does not count as an open stream", async () => {
    const server = taskServer({}, { maxListenStreams: 1 })
      .tool("quick", { task: "optional", handler: () => "" })
      .build();
    const { client } = await connect(server);
    for (let count = 0; count < 3; count++)
      await errorOf(client.request("subscriptions/listen", { notifications: { taskIds: 1 } }));
    const stream = client.listen({ taskIds: [] });
    await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(1);
    stream.stop();
  });
});

/** Wraps the embedded engine to record every visible state of its tasks and to count watchers. */
function recordingEngine() {
  const inner = createTaskEngine();
  const history: string[] = [];
  let watchers = 0;
  const engine: TaskEngine = {
    create(record) {
      history.push(JSON.stringify(toDetailedTask(record)));
      return inner.create(record);
    },
    read: (taskId) => inner.read(taskId),
    write(change) {
      history.push(JSON.stringify(toDetailedTask(change.record)));
      return inner.write(change);
    },
    async watch(taskId, listener) {
      const stop = await inner.watch(taskId, listener);
      watchers++;
      return () => {
        watchers--;
        stop();
      };
    },
    work: (worker) => inner.work(worker),
    close: () => inner.close(),
  };
  return { engine, history, watchers: () => watchers };
}
