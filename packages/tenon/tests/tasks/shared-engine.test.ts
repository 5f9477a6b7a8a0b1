import { describe, expect, test } from "vitest";
import { createTaskEngine } from "../../src/tasks/index.js";
import { form } from "../../src/index.js";
import { accept, connect, createGate, taskServer, textOf } from "../support/tasks/task-client.js";
import { z } from "zod";

const GO = form({ message: "Go on?", schema: z.object({ ok: z.boolean() }) });

describe("servers that share an engine", () => {
  test("run only their own tasks", async () => {
    const engine = createTaskEngine();
    const server = (name: string) =>
      taskServer({ engine }, { name })
        .tool(`of_${name}`, { task: "required", handler: () => `Ran on ${name}.` })
        .build();
    const [first, second] = [await connect(server("a")), await connect(server("b"))];
    expect(textOf((await second.run("of_b")).result)).toBe("Ran on b.");
    expect(textOf((await first.run("of_a")).result)).toBe("Ran on a.");
    await engine.close();
  });

  test("continue the tasks of a closed server with the same name", async () => {
    const engine = createTaskEngine();
    const server = (text: string) =>
      taskServer({ engine })
        .tool("work", {
          task: "required",
          handler: async (_args, call) => ((await call.input("go", GO)).action === "accept" ? text : ""),
        })
        .build();
    const old = server("old");
    const first = await connect(old);
    const taskId = await first.create("work");
    await first.until(taskId, "input_required");
    old.close();
    const { answer, settled } = await connect(server("new"));
    await answer(taskId, { go: accept({ ok: true }) });
    expect(textOf((await settled(taskId)).result)).toBe("new");
  });

  test("wait only for their own tasks when they close", async () => {
    const engine = createTaskEngine();
    const gate = createGate();
    const busy = taskServer({ engine }, { name: "busy" })
      .tool("work", { task: "required", handler: () => gate.promise })
      .build();
    const calm = taskServer({ engine }, { name: "calm" })
      .tool("work", { task: "required", handler: () => "done" })
      .build();
    const { create } = await connect(busy);
    await create("work");
    const { run } = await connect(calm);
    await run("work");
    calm.close();
    await calm.idle();
    gate.open();
  });
});
