import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FETCH, read } from "../../../../tests/support/http-faces.js";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { form } from "../../src/index.js";
import type { TasksOptions } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createErrorLog,
  createGate,
  createTaskClock,
  DECLARED,
  errorOf,
  type Gate,
  taskServer,
  textOf,
  turn,
} from "../support/tasks/task-client.js";

const TEXT = form({ message: "Text?", schema: z.object({ text: z.string() }) });
const auth = (principal: string) => ({ principal, scopes: [] });

function newServer(options: TasksOptions = {}) {
  const clock = createTaskClock();
  const running: string[] = [];
  const started: string[] = [];
  const gates = new Map<string, Gate>();
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? createGate();
    gates.set(name, gate);
    return gate;
  };
  const { errors, log } = createErrorLog();
  const server = taskServer(options, { ports: clock.ports, log })
    .tool("work", {
      task: "optional",
      input: z.object({ name: z.string() }),
      async handler({ name }) {
        started.push(name);
        running.push(name);
        await gateOf(name).promise;
        running.splice(running.indexOf(name), 1);
        return name;
      },
    })
    .tool("echo", { task: "optional", input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("repeat", {
      task: "optional",
      input: z.object({ length: z.number() }),
      handler: ({ length }) => "x".repeat(length),
    })
    .tool("ask", {
      task: "optional",
      async handler(_args, call) {
        const [one, two] = await Promise.all([call.input("one", TEXT), call.input("two", TEXT)]);
        return `${one.action}, ${two.action}`;
      },
    })
    .tool("steps", {
      task: "optional",
      input: z.object({ length: z.number() }),
      async handler({ length }, call) {
        await call.once("small", () => "x");
        await call.once("large", () => "x".repeat(length));
        return "done";
      },
    })
    .build();
  return { server, clock, running, started, errors, open: (name: string) => gateOf(name).open() };
}

describe("the number of tasks", () => {
  test("`maxTasks` limits all tasks, including finished ones, until they are deleted", async () => {
    const { server, clock } = newServer({ maxTasks: 2, ttlMs: 1_000, resultTtlMs: 1_000 });
    const { call, create, run } = await connect(server);
    await run("echo", { text: "1" });
    await create("echo", { text: "2" });
    expect(await errorOf(call("echo", { text: "3" }))).toEqual({
      code: -32600,
      message: "Too many tasks on this server (limit: 2). Try again later.",
    });
    clock.advance(2_000);
    expect(textOf((await run("echo", { text: "4" })).result)).toBe("4");
  });

  test("a rejected call has the status 429 over HTTP", async () => {
    const { server } = newServer({ maxTasks: 1 });
    const endpoint = await FETCH.open(server);
    const send = async () =>
      read(await endpoint.fetch(modernCall("echo", { text: "" }, { capabilities: DECLARED })));
    expect(await send()).toMatchObject({ status: 200, body: { result: { resultType: "task" } } });
    expect(await send()).toMatchObject({ status: 429, body: { error: { code: -32600 } } });
  });

  test("`maxTasksPerPrincipal` limits the tasks of one caller only", async () => {
    const { server, clock } = newServer({ maxTasksPerPrincipal: 2, ttlMs: 1_000, resultTtlMs: 1_000 });
    const ada = await connect(server, { auth: auth("ada") });
    const eve = await connect(server, { auth: auth("eve") });
    await ada.create("echo", { text: "1" });
    await ada.create("echo", { text: "2" });
    expect(await errorOf(ada.call("echo", { text: "3" }))).toEqual({
      code: -32600,
      message: "Too many tasks for this caller (limit: 2). Try again later.",
    });
    await eve.create("echo", { text: "4" });
    const anonymous = await connect(server);
    for (let count = 0; count < 5; count++) await anonymous.create("echo", { text: "5" });
    clock.advance(2_000);
    await ada.create("echo", { text: "6" });
  });
});

describe("the number of running tasks", () => {
  test("`concurrency` limits it, and the others wait in order", async () => {
    const { server, running, started, open } = newServer({ concurrency: 2 });
    const { create, get, settled } = await connect(server);
    const ids = [];
    for (const name of ["a", "b", "c", "d"]) ids.push(await create("work", { name }));
    await expect.poll(() => running.length, { interval: 2 }).toBe(2);
    await turn();
    expect(running).toEqual(["a", "b"]);
    expect((await get(ids[3] ?? "")).status).toBe("working");
    open("b");
    await expect.poll(() => [...running], { interval: 2 }).toEqual(["a", "c"]);
    for (const name of ["a", "c", "d"]) open(name);
    for (const taskId of ids) await settled(taskId);
    expect(started).toEqual(["a", "b", "c", "d"]);
  });

  test("`concurrencyPerPrincipal` leaves room for other callers", async () => {
    const { server, running, open } = newServer({ concurrency: 4, concurrencyPerPrincipal: 1 });
    const ada = await connect(server, { auth: auth("ada") });
    const eve = await connect(server, { auth: auth("eve") });
    const first = await ada.create("work", { name: "ada 1" });
    const second = await ada.create("work", { name: "ada 2" });
    await eve.create("work", { name: "eve 1" });
    await expect.poll(() => [...running].toSorted(), { interval: 2 }).toEqual(["ada 1", "eve 1"]);
    await turn();
    expect(running).not.toContain("ada 2");
    open("ada 1");
    await ada.settled(first);
    await expect.poll(() => [...running].toSorted(), { interval: 2 }).toEqual(["ada 2", "eve 1"]);
    open("ada 2");
    open("eve 1");
    await ada.settled(second);
  });

  test("callers take turns, so that a long queue of one does not delay another", async () => {
    const { server, started, open } = newServer({ concurrency: 1 });
    const ada = await connect(server, { auth: auth("ada") });
    const eve = await connect(server, { auth: auth("eve") });
    const ids = [];
    for (const name of ["ada 1", "ada 2", "ada 3", "ada 4"]) ids.push(await ada.create("work", { name }));
    await expect.poll(() => started.length, { interval: 2 }).toBe(1);
    const hers = [];
    for (const name of ["eve 1", "eve 2"]) hers.push(await eve.create("work", { name }));
    for (const name of ["ada 1", "ada 2", "ada 3", "ada 4", "eve 1", "eve 2"]) open(name);
    for (const taskId of ids) await ada.settled(taskId);
    for (const taskId of hers) await eve.settled(taskId);
    expect(started).toEqual(["ada 1", "ada 2", "eve 1", "ada 3", "eve 2", "ada 4"]);
  });
});

describe("the size of tasks", () => {
  test("`maxResultBytes` fails a task with a larger result", async () => {
    const { server, errors } = newServer({ maxResultBytes: 1_000 });
    const { run } = await connect(server);
    const task = await run("repeat", { length: 2_000 });
    expect(task.status).toBe("failed");
    expect(task.error).toMatchObject({ code: -32603 });
    expect(task.error?.message).toMatch(/^The result is too large: \d+ bytes \(limit: 1000\)\.$/);
    expect(String(errors[0])).toMatch(/Raise `maxResultBytes`\.$/);
    expect((await run("repeat", { length: 100 })).status).toBe("completed");
  });

  test("`maxTaskBytes` limits the arguments", async () => {
    const { server } = newServer({ maxTaskBytes: 5_000 });
    const { call, run } = await connect(server);
    const rejected = await call("echo", { text: "x".repeat(5_000) });
    expect(rejected).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf(rejected)).toBe("The arguments are too large for a task (limit: 5000 bytes).");
    expect((await run("echo", { text: "x".repeat(500) })).status).toBe("completed");
  });

  test("`maxTaskBytes` limits the answers, and the questions stay open", async () => {
    const { server } = newServer({ maxTaskBytes: 5_000 });
    const { create, until, answer, get, settled } = await connect(server);
    const taskId = await create("ask");
    const asked = await until(taskId, "input_required");
    expect(await errorOf(answer(taskId, { one: accept({ text: "x".repeat(5_000) }) }))).toEqual({
      code: -32602,
      message: "The answers are too large (limit: 5000 bytes).",
    });
    expect(await get(taskId)).toEqual(asked);
    await answer(taskId, { one: accept({ text: "short" }), two: { action: "decline" } });
    expect(textOf((await settled(taskId)).result)).toBe("accept, decline");
  });

  test("an answer without a question is not stored, however large it is", async () => {
    const { server } = newServer({ maxTaskBytes: 5_000 });
    const { create, until, answer, get } = await connect(server);
    const taskId = await create("ask");
    const asked = await until(taskId, "input_required");
    await answer(taskId, { three: "x".repeat(50_000) });
    expect(await get(taskId)).toEqual(asked);
  });

  test("`maxTaskBytes` limits the results of steps, and the text is for the operator", async () => {
    const { server, errors } = newServer({ maxTaskBytes: 5_000 });
    const { run } = await connect(server);
    const task = await run("steps", { length: 5_000 });
    expect(task).toMatchObject({ status: "completed", result: { isError: true } });
    expect(textOf(task.result)).toBe("Tool steps failed");
    expect(String(errors[0])).toBe(
      "Error: The results of `call.once` are too large (limit: 5000 bytes in total). " +
        "Return less from each step, or raise `maxTaskBytes` in `tasks()`.",
    );
    expect(textOf((await run("steps", { length: 50 })).result)).toBe("done");
  });

  test("`maxTotalBytes` limits the arguments of all tasks, until some of them have finished", async () => {
    const { server, open } = newServer({ maxTotalBytes: 12_000 });
    const { call, create, settled, run } = await connect(server);
    const name = "x".repeat(5_000);
    const first = await create("work", { name });
    expect(await errorOf(call("work", { name }))).toEqual({
      code: -32600,
      message: "The tasks on this server use too much memory (limit: 12000 bytes). Try again later.",
    });
    open(name);
    expect((await settled(first)).status).toBe("completed");
    expect((await run("echo", { text: "short" })).status).toBe("completed");
  });

  test("a result that exceeds `maxTotalBytes` fails its task, and the server goes on", async () => {
    const { server, errors } = newServer({ maxTotalBytes: 6_000 });
    const { run } = await connect(server);
    const task = await run("repeat", { length: 5_000 });
    expect(task).toMatchObject({
      status: "failed",
      error: {
        code: -32603,
        message: "The server does not have enough memory to store the outcome of the task.",
      },
    });
    expect(errors).toHaveLength(1);
    expect((await run("repeat", { length: 10 })).status).toBe("completed");
  });

  test("an answer that exceeds `maxTotalBytes` is rejected, and can be sent again when there is room", async () => {
    const { server, clock } = newServer({ maxTotalBytes: 12_000, ttlMs: 60_000, resultTtlMs: 1_000 });
    const { create, until, answer, get, settled } = await connect(server);
    const taskId = await create("ask");
    const asked = await until(taskId, "input_required");
    await create("work", { name: "x".repeat(4_000) });
    clock.advance(10);
    const answers = { one: accept({ text: "x".repeat(4_000) }), two: { action: "decline" } };
    expect(await errorOf(answer(taskId, answers))).toEqual({
      code: -32600,
      message: "The tasks on this server use too much memory (limit: 12000 bytes). Try again later.",
    });
    expect(await get(taskId)).toEqual(asked);
    await answer(taskId, { one: { action: "cancel" }, two: { action: "decline" } });
    expect(textOf((await settled(taskId)).result)).toBe("cancel, decline");
  });
});
