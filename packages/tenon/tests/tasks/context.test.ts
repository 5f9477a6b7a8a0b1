import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineServer, form } from "../../src/index.js";
import { createTaskEngine, type TaskOrigin, tasks, type TasksOptions } from "../../src/tasks/index.js";
import { accept, connect, createErrorLog, textOf } from "../support/tasks/task-client.js";

interface Context {
  readonly tenant: string;
  /** A function cannot be stored. */
  readonly lookUp: () => string;
}

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
const contextOf = (tenant: string): Context => ({ tenant, lookUp: () => `data of ${tenant}` });

function newServer(options: TasksOptions = {}) {
  const { errors, log } = createErrorLog();
  const server = defineServer<Context>({ name: "tasks", version: "1.0.0", log })
    .extension(tasks(options))
    .tool("read", { task: "optional", handler: (_args, call) => call.context.lookUp() })
    .tool("ask", {
      task: "optional",
      async handler(_args, call) {
        const before = call.context.lookUp();
        const { action } = await call.input("sure", SURE);
        return `${before}, ${action}, ${call.context.lookUp()}`;
      },
    })
    .build();
  return { server, errors };
}

describe("the context of a task", () => {
  test("is the context of the request that created it", async () => {
    const context = contextOf("a");
    const seen: unknown[] = [];
    const server = defineServer<Context>({ name: "tasks", version: "1.0.0" })
      .extension(tasks())
      .tool("look", { task: "optional", handler: (_args, call) => String(seen.push(call.context)) })
      .build();
    const { run } = await connect(server, { context });
    await run("look");
    expect(seen[0]).toBe(context);
  });

  test("is kept for each task, also when the handler runs again", async () => {
    const { server } = newServer();
    const a = await connect(server, { context: contextOf("a") });
    const b = await connect(server, { context: contextOf("b") });
    const ids = [await a.create("ask"), await b.create("ask")];
    for (const taskId of ids) await a.until(taskId, "input_required");
    // The client that answers has a different context.
    for (const taskId of ids) await b.answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await a.settled(ids[0] ?? "")).result)).toBe("data of a, accept, data of a");
    expect(textOf((await a.settled(ids[1] ?? "")).result)).toBe("data of b, accept, data of b");
  });

  test("can be created by the `context` option, which gets the task and its owner", async () => {
    const origins: TaskOrigin[] = [];
    const { server } = newServer({
      context: async (origin) => {
        origins.push(origin);
        return contextOf(`run ${origins.length}`);
      },
    });
    const auth = { principal: "ada", scopes: ["read"] };
    const { create, until, answer, settled } = await connect(server, { context: contextOf("a"), auth });
    const taskId = await create("ask");
    await until(taskId, "input_required");
    await answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("data of run 2, accept, data of run 2");
    expect(origins).toEqual([
      { taskId, tool: "ask", auth },
      { taskId, tool: "ask", auth },
    ]);
  });

  test("a `context` function that fails ends the task, and its text stays on the server", async () => {
    const { server, errors } = newServer({
      context() {
        throw new Error("password=hunter2");
      },
    });
    const { run } = await connect(server, { context: contextOf("a") });
    const task = await run("read");
    expect(task).toMatchObject({ status: "failed", error: { code: -32603, message: "Internal error" } });
    expect(JSON.stringify(task)).not.toContain("hunter2");
    expect(String(errors[0])).toContain("hunter2");
  });

  test("is kept by servers that share an engine", async () => {
    const engine = createTaskEngine();
    const first = newServer({ engine });
    const old = await connect(first.server, { context: contextOf("a") });
    const taskId = await old.create("ask");
    await old.until(taskId, "input_required");
    first.server.close();

    const { answer, settled } = await connect(newServer({ engine }).server, { context: contextOf("b") });
    await answer(taskId, { sure: accept({ ok: true }) });
    expect((await settled(taskId)).status).toBe("completed");
  });

  test("is lost with the process that had it, and then the task fails", async () => {
    const directory = mkdtempSync(join(tmpdir(), "tenon-tasks-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const first = newServer({ directory });
    const old = await connect(first.server, { context: contextOf("a") });
    const taskId = await old.create("ask");
    await old.until(taskId, "input_required");
    first.server.close();
    await first.server.idle();

    const { server, errors } = newServer({ directory });
    const { answer, settled } = await connect(server, { context: contextOf("b") });
    await answer(taskId, { sure: accept({ ok: true }) });
    const task = await settled(taskId);
    expect(task.status).toBe("failed");
    expect(task.error).toEqual({
      code: -32603,
      message: "The task could not be continued after a restart.",
    });
    expect(String(errors[0])).toBe(
      `Error: A task of the tool "ask" needs the context of its request, which ended with its process. ` +
        "Pass `context` to `tasks()`, so that it can be created again.",
    );
  });

  test("the `context` option restores a lost context", async () => {
    const engine = createTaskEngine();
    const first = newServer({ engine });
    const old = await connect(first.server, { context: contextOf("a") });
    const taskId = await old.create("ask");
    await old.until(taskId, "input_required");
    first.server.close();

    const { server } = newServer({ engine, context: () => contextOf("restored") });
    const { answer, settled } = await connect(server, { context: contextOf("b") });
    await answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("data of restored, accept, data of restored");
  });

  test("a request without a context needs none after a restart", async () => {
    const engine = createTaskEngine();
    const serverOf = () =>
      defineServer({ name: "tasks", version: "1.0.0" })
        .extension(tasks({ engine }))
        .tool("ask", {
          task: "optional",
          handler: async (_args, call) => (await call.input("sure", SURE)).action,
        })
        .build();
    const first = serverOf();
    const old = await connect(first);
    const taskId = await old.create("ask");
    await old.until(taskId, "input_required");
    first.close();
    const { answer, settled } = await connect(serverOf());
    await answer(taskId, { sure: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("accept");
  });
});
