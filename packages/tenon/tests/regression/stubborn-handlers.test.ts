import { expect, test } from "vitest";
import {
  connect,
  createErrorLog,
  createGate,
  createTaskClock,
  taskServer,
  turn,
} from "../support/tasks/task-client.js";

/** A cancelled task whose handler ignores its signal kept its place among the running tasks until its lifetime ended. */

function newServer(concurrency = 2) {
  const clock = createTaskClock();
  const { errors, log } = createErrorLog();
  const gate = createGate();
  const state = { running: 0, most: 0 };
  const server = taskServer(
    { concurrency, concurrencyPerPrincipal: concurrency, ttlMs: 3_600_000 },
    { ports: clock.ports, log },
  )
    .tool("stubborn", {
      task: "required",
      handler: async () => {
        state.running++;
        state.most = Math.max(state.most, state.running);
        await gate.promise;
        state.running--;
        return "done";
      },
    })
    .tool("quick", { task: "required", handler: () => "done" })
    .build();
  return { server, clock, errors, gate, state };
}

test("a cancelled task ends after a grace period, and its place is free", async () => {
  const { server, clock, errors, gate, state } = newServer();
  const { create, cancel, get, run } = await connect(server);
  const ids = [await create("stubborn"), await create("stubborn")];
  await expect.poll(() => state.running).toBe(2);
  const waiting = run("quick");
  for (const taskId of ids) await cancel(taskId);
  await turn();
  clock.advance(9_999);
  await turn();
  expect((await get(ids[0] ?? "")).status).toBe("working");
  clock.advance(1);
  for (const taskId of ids) await expect.poll(async () => (await get(taskId)).status).toBe("cancelled");
  expect((await waiting).status).toBe("completed");
  expect(errors.map(String)).toEqual([
    expect.stringContaining("did not stop. It no longer counts toward `concurrency`."),
  ]);
  gate.open();
  await turn();
  // The handler's late result does not change a final status.
  expect((await get(ids[0] ?? "")).status).toBe("cancelled");
});

test("a client that cancels its tasks cannot start more handlers than twice `concurrency`", async () => {
  const { server, clock, errors, gate, state } = newServer();
  const { create, cancel, get, run } = await connect(server);
  const ids: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 2; n++) ids.push(await create("stubborn"));
    await turn();
    for (const taskId of ids) await cancel(taskId);
    await turn();
    clock.advance(10_000);
    for (let n = 0; n < 10; n++) await turn();
  }
  expect(state.most).toBe(4);
  expect(errors).toHaveLength(1);
  gate.open();
  // All places are free again when the handlers have ended.
  expect((await run("quick")).status).toBe("completed");
  for (const taskId of ids) expect(["cancelled", "completed"]).toContain((await get(taskId)).status);
  expect(state.running).toBe(0);
});
