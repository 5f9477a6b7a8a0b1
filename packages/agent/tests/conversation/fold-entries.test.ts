import { describe, expect, test } from "vitest";
import { foldEntries } from "../../src/conversation/context/fold-entries.js";
import type { TaskEntry } from "../../src/storage/task-entry.js";

const said: TaskEntry = {
  shown: { type: "userSendMessage", data: { message: "Go", updateTime: 1 } },
  model: { role: "user", content: "Go" },
  status: "streaming",
};
const called: TaskEntry = {
  model: {
    role: "assistant",
    content: "",
    calls: [
      { id: "a", name: "one", arguments: "{}" },
      { id: "b", name: "two", arguments: "{}" },
    ],
  },
};
const running: TaskEntry = {
  shown: { type: "tool", data: { toolName: "one", updateTime: 2, partial: true, status: "running" } },
  status: "tool_executing",
};
const done: TaskEntry = {
  shown: { type: "tool", data: { toolName: "one", updateTime: 2, status: "done" } },
  model: { role: "tool", toolName: "one", callId: "a", content: "ok" },
  status: "streaming",
};

describe("restoring a task from its log", () => {
  test("an empty log is an idle task", () => {
    expect(foldEntries([])).toEqual({ shown: [], messages: [], status: "idle", lastTime: 0 });
  });

  test("the end of a call replaces its beginning", () => {
    const { shown, status, lastTime } = foldEntries([said, running, done, { status: "idle" }]);
    expect(shown).toEqual([said.shown, done.shown]);
    expect([status, lastTime]).toEqual(["idle", 2]);
  });

  test("messages without a time stay separate", () => {
    const update = { shown: { type: "assignTaskUpdated", data: { index: 0 } } };
    expect(foldEntries([update, update]).shown).toHaveLength(2);
  });

  test("a log that ends in the middle of a run is an interrupted task, and every call has a result", () => {
    const { shown, messages, status } = foldEntries([said, called, running]);
    expect(status).toBe("aborted");
    expect(shown.at(-1)?.data).toEqual({ toolName: "one", updateTime: 2, status: "interrupted" });
    expect(messages.slice(2)).toEqual([
      {
        role: "tool",
        toolName: "one",
        callId: "a",
        content: expect.stringContaining("may have taken effect"),
      },
      {
        role: "tool",
        toolName: "two",
        callId: "b",
        content: expect.stringContaining("may have taken effect"),
      },
    ]);
  });

  test("calls with a result do not receive a second one", () => {
    const { messages } = foldEntries([said, called, running, done]);
    expect(messages.map((message) => ("callId" in message ? message.callId : message.role))).toEqual([
      "user",
      "assistant",
      "a",
      "b",
    ]);
  });

  test("an interrupted call is restored in the same way after the task has continued", () => {
    const again: TaskEntry = { model: { role: "user", content: "Again" }, status: "streaming" };
    const { messages } = foldEntries([said, called, running, again, { status: "idle" }]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  });
});
