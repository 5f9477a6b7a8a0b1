import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryKeyValueStore, createMemoryStore } from "tenon/stores";
import { FETCH, read } from "../../../../tests/support/http-faces.js";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import { parseOptions } from "@tenon/internal/options/define-options";
import { ENGINE_LIMITS } from "../../src/tasks/engine/engine-options.js";
import { createTaskEngine } from "../../src/tasks/index.js";
import { createHost, link } from "../support/transport/workers/linked.js";
import {
  CROWDS,
  fillWithTasks,
  fillWithValues,
  MAX_BYTES,
  MAX_COUNT,
} from "../support/isolation/greedy-cases.js";
import { makeFolder } from "../support/tasks/engine-harnesses.js";
import { as, authenticate, createServer, send } from "../support/isolation/servers.js";

/** One principal could take all places for tasks, or the whole store of idempotency keys, for up to a day. */

describe.each(CROWDS)("$title", (crowd) => {
  test("cannot take the memory for all tasks", async () => {
    const engine = createTaskEngine({ maxTotalBytes: MAX_BYTES, maxTasks: MAX_COUNT });
    await fillWithTasks(engine, crowd);
    await engine.close();
  });

  test("cannot fill a store of values", async () => {
    const store = createMemoryKeyValueStore({ maxTotalBytes: MAX_BYTES, maxKeys: MAX_COUNT });
    await fillWithValues(store, crowd);
  });
});

test.each(CROWDS)("$title cannot lock others out of the processes that `workers` starts", async (crowd) => {
  const { host } = createHost({ values: { maxTotalBytes: MAX_BYTES, maxKeys: MAX_COUNT } });
  const { store, cut } = link(host);
  const limits = { ...parseOptions(ENGINE_LIMITS, {}), maxTotalBytes: MAX_BYTES, maxTasks: MAX_COUNT };
  const sealer = { seal: async (text: string) => text, open: async (text: string) => text };
  await fillWithTasks(store.createTaskEngine({ server: "s", sealer, limits }), crowd);
  await fillWithValues(store.values, crowd);
  cut();
  await host.close();
});

test("the number of tasks has fair shares too", async () => {
  const { server } = createServer({ tasks: { maxTasks: 20, maxTasksPerPrincipal: 1_000 } });
  const endpoint = await FETCH.open(server, { authenticate });
  onTestFinished(() => server.close());
  const create = async (user: string) =>
    (await send(endpoint, as(user), "tools/call", { name: "echo", arguments: { text: user } })).status;
  const statuses = await Promise.all(Array.from({ length: 40 }, () => create("eve")));
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(
    (await send(endpoint, as("eve"), "tools/call", { name: "echo", arguments: { text: "" } })).body,
  ).toMatchObject({
    error: {
      message:
        "Too many tasks for this caller: the remaining places are for others (limit for all: 20). Try again later.",
    },
  });
  for (const user of ["ada", "bob", "cyd", "dan"]) expect(await create(user)).toBe(200);
});

test("tasks in a directory are all loaded, also those beyond the share of a caller", async () => {
  // Lower limits than at the time when the tasks were created leave no share for the only caller.
  const directory = makeFolder();
  const first = createTaskEngine({ directory, sync: false });
  const ids = Array.from({ length: 10 }, (_, n) => `task ${n}`);
  for (const taskId of ids) await first.create(createTaskRecord(Date.now(), { taskId, principal: "eve" }));
  await first.close();
  const next = createTaskEngine({ directory, sync: false, maxTasks: 10 });
  for (const taskId of ids) expect((await next.read(taskId))?.record.taskId).toBe(taskId);
  await next.close();
});

test("a caller that fills the store of idempotency keys is rejected, and the calls of others are not", async () => {
  const store = createMemoryStore({ values: { maxTotalBytes: 150_000 } });
  const { server } = createServer({ store, server: { state: { keys: ["k".repeat(32)] } } });
  const endpoint = await FETCH.open(server, { authenticate });
  const call = async (user: string | undefined, key: string) => {
    const headers = { ...(user === undefined ? {} : as(user)), "idempotency-key": key };
    return read(await endpoint.fetch(modernCall("echo", { text: key }, { headers })));
  };
  const greedy = await Promise.all(Array.from({ length: 200 }, (_, n) => call("eve", `key-${n}`)));
  const rejected = greedy.filter(({ status }) => status !== 200);
  expect(rejected.length).toBeGreaterThan(50);
  expect(rejected[0]).toMatchObject({
    status: 429,
    body: {
      error: {
        message:
          "Too many results of calls with an idempotency key are stored for this caller. " +
          "Try again when some of them have expired, or call without a key.",
      },
    },
  });
  for (const user of ["ada", "bob", undefined]) {
    const first = await call(user, "one");
    expect(first.status).toBe(200);
    expect(await call(user, "one")).toEqual(first);
  }
});
