import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { accept, connect, taskServer, textOf } from "../support/tasks/task-client.js";
import { form } from "../../src/index.js";
import { z } from "zod";

const user = new AsyncLocalStorage<string>();

test("a task does not inherit the asynchronous context of any request", async () => {
  const seen: (string | undefined)[] = [];
  const server = taskServer({ concurrency: 1 })
    .tool("look", {
      task: "required",
      handler: async (_args, call) => {
        seen.push(user.getStore());
        await call.input("go", form({ message: "Go on?", schema: z.object({ ok: z.boolean() }) }));
        seen.push(user.getStore());
        return "done";
      },
    })
    .build();
  const { create, until, answer, settled } = await user.run("first", () => connect(server));
  const one = await user.run("one", () => create("look"));
  const two = await user.run("two", () => create("look"));
  await user.run("three", () => until(one, "input_required"));
  await user.run("three", () => until(two, "input_required"));
  await user.run("one", () => answer(one, { go: accept({ ok: true }) }));
  await user.run("two", () => answer(two, { go: accept({ ok: true }) }));
  expect(textOf((await user.run("one", () => settled(one))).result)).toBe("done");
  expect(textOf((await user.run("two", () => settled(two))).result)).toBe("done");
  expect(seen).toHaveLength(6);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});
