import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, form } from "../../src/index.js";
import { accept, connect, taskServer, textOf } from "../support/tasks/task-client.js";

/** Only the handler knows that the number must be even: JSON Schema forms cannot express it. */
const EVEN = form({
  message: "An even number, please",
  schema: z.object({ value: z.number().refine((value) => value % 2 === 0, "must be even") }),
});

const askEven = async (call: Call, key = "even") => {
  const answer = await call.input(key, EVEN);
  return answer.action === "accept" ? String(answer.content.value) : answer.action;
};

const newServer = () =>
  taskServer()
    .tool("halve", { task: "optional", handler: (_args, call) => askEven(call) })
    .tool("two", {
      task: "optional",
      handler: async (_args, call) =>
        (await Promise.all([askEven(call, "left"), askEven(call, "right")])).join(),
    })
    .tool("catches", {
      task: "optional",
      async handler(_args, call) {
        try {
          return await askEven(call);
        } catch {
          return "caught";
        }
      },
    })
    .build();

describe("an answer that only the handler can reject", () => {
  test("is asked for again under a new key, with the reason as the status message", async () => {
    const { create, until, answer, settled } = await connect(newServer());
    const taskId = await create("halve");
    const first = await until(taskId, "input_required");
    expect(Object.keys(first.inputRequests ?? {})).toEqual(["even"]);

    await answer(taskId, { even: accept({ value: 3 }) });
    const second = await until(taskId, "input_required");
    expect(second.inputRequests).toEqual({ "even (2)": first.inputRequests?.["even"] });
    expect(second.statusMessage).toMatch(/^The response to "even" is invalid: .*must be even/);

    await answer(taskId, { "even (2)": accept({ value: 4 }) });
    expect(textOf((await settled(taskId)).result)).toBe("4");
  });

  test("an answer to the old key is ignored", async () => {
    const { create, until, answer, get } = await connect(newServer());
    const taskId = await create("halve");
    await until(taskId, "input_required");
    await answer(taskId, { even: accept({ value: 3 }) });
    const again = await until(taskId, "input_required");
    await answer(taskId, { even: accept({ value: 4 }) });
    expect(await get(taskId)).toEqual(again);
  });

  test("is accepted five times at most, then the task fails", async () => {
    const { create, until, answer, settled } = await connect(newServer());
    const taskId = await create("halve");
    const keys: string[] = [];
    for (let count = 0; count < 5; count++) {
      const { inputRequests } = await until(taskId, "input_required");
      const [key = "", ...others] = Object.keys(inputRequests ?? {});
      expect(others).toEqual([]);
      keys.push(key);
      await answer(taskId, { [key]: accept({ value: 3 }) });
    }
    expect(keys).toEqual(["even", "even (2)", "even (3)", "even (4)", "even (5)"]);
    const task = await settled(taskId);
    expect(task).toMatchObject({ status: "failed", error: { code: -32602 } });
    expect(task.error?.message).toMatch(/^The answers to "even" were invalid 5 times\. .*must be even/);
  });

  test("does not affect the answer to a parallel question", async () => {
    const { create, until, answer, settled } = await connect(newServer());
    const taskId = await create("two");
    await until(taskId, "input_required");
    await answer(taskId, { left: accept({ value: 3 }), right: accept({ value: 8 }) });
    const { inputRequests } = await until(taskId, "input_required");
    expect(Object.keys(inputRequests ?? {})).toEqual(["left (2)"]);
    await answer(taskId, { "left (2)": accept({ value: 6 }) });
    expect(textOf((await settled(taskId)).result)).toBe("6,8");
  });

  test("is asked for again even if the handler catches the error", async () => {
    const { create, until, answer, settled } = await connect(newServer());
    const taskId = await create("catches");
    await until(taskId, "input_required");
    await answer(taskId, { even: accept({ value: 3 }) });
    await until(taskId, "input_required");
    await answer(taskId, { "even (2)": accept({ value: 2 }) });
    expect(textOf((await settled(taskId)).result)).toBe("2");
  });

  test("the user can decline the repeated question", async () => {
    const { create, until, answer, settled } = await connect(newServer());
    const taskId = await create("halve");
    await until(taskId, "input_required");
    await answer(taskId, { even: accept({ value: 3 }) });
    await until(taskId, "input_required");
    await answer(taskId, { "even (2)": { action: "decline" } });
    expect(textOf((await settled(taskId)).result)).toBe("decline");
  });
});

test("a handler's own key that looks like a repeated one is never used twice", async () => {
  const server = taskServer()
    .tool("odd-keys", {
      task: "optional",
      handler: async (_args, call) =>
        (await Promise.all([askEven(call, "even"), askEven(call, "even (2)")])).join(),
    })
    .build();
  const { create, until, answer, settled } = await connect(server);
  const taskId = await create("odd-keys");
  await until(taskId, "input_required");
  await answer(taskId, { even: accept({ value: 1 }), "even (2)": accept({ value: 2 }) });
  const { inputRequests } = await until(taskId, "input_required");
  expect(Object.keys(inputRequests ?? {})).toEqual(["even (3)"]);
  await answer(taskId, { "even (3)": accept({ value: 4 }) });
  expect(textOf((await settled(taskId)).result)).toBe("4,2");
});
