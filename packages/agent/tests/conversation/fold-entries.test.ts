import { describe, expect, test } from "vitest";
import { foldEntries } from "../../src/conversation/context/fold-entries.js";
import { ModelHistory } from "../../src/conversation/context/model-history.js";
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

/** Restores a task, and gives every open call a result. */
function fold(entries: readonly TaskEntry[]) {
  const history = new ModelHistory(entries);
  const { openCalls } = history;
  history.closeCalls("all");
  return { ...foldEntries(entries), openCalls, messages: history.messages };
}

describe("restoring a task from its log", () => {
  test("an empty log is an idle task", () => {
    expect(fold([])).toEqual({ shown: [], messages: [], status: "idle", lastTime: 0, openCalls: [] });
  });

  test("the end of a call replaces its beginning", () => {
    const { shown, status, lastTime } = fold([said, running, done, { status: "idle" }]);
    expect(shown).toEqual([said.shown, done.shown]);
    expect([status, lastTime]).toEqual(["idle", 2]);
  });

  test("messages without a time stay separate", () => {
    const update = { shown: { type: "assignTaskUpdated", data: { index: 0 } } };
    expect(fold([update, update]).shown).toHaveLength(2);
  });

  test("a log that ends in the middle of a run is an interrupted task, and every call has a result", () => {
    const { shown, messages, status } = fold([said, called, running]);
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
        content: "The run ended before this call started. The call had no effect and can be made again.",
      },
    ]);
  });

  test("calls with a result do not receive a second one", () => {
    const { messages } = fold([said, called, running, done]);
    expect(messages.map((message) => ("callId" in message ? message.callId : message.role))).toEqual([
      "user",
      "assistant",
      "a",
      "b",
    ]);
  });

  test("an interrupted call is restored in the same way after the task has continued", () => {
    const again: TaskEntry = { model: { role: "user", content: "Again" }, status: "streaming" };
    const { messages } = fold([said, called, running, again, { status: "idle" }]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  });

  test("a native call that never began is told apart from one that began", () => {
    const began = (callId: string): TaskEntry => ({
      callBegan: { toolName: "one", callId },
      shown: { type: "tool", data: { toolName: "one", updateTime: 9, partial: true, status: "running" } },
    });
    const contents = (entries: readonly TaskEntry[]) =>
      fold(entries).messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
    const unknown = "The run ended before this call finished. The call may have taken effect.";
    const notRun = "The run ended before this call started. The call had no effect and can be made again.";
    expect(contents([said, called])).toEqual([notRun, notRun]);
    expect(contents([said, called, began("a")])).toEqual([unknown, notRun]);
    expect(contents([said, called, began("b")])).toEqual([notRun, unknown]);
    expect(contents([said, called, began("b"), began("a")])).toEqual([unknown, unknown]);
    expect(contents([said, called, began("a"), done])).toEqual(["ok", notRun]);
    expect(fold([said, called, began("b")]).openCalls).toEqual([
      { toolName: "one", callId: "a", hasBegun: false },
      { toolName: "two", callId: "b", hasBegun: true },
    ]);
  });

  test("an XML call that never began is told apart from one that began", () => {
    const written: TaskEntry = { model: { role: "assistant", content: "<one></one>" }, calls: "one" };
    const callBegan = { toolName: "one" };
    expect(fold([said, written]).openCalls).toEqual([{ toolName: "one", hasBegun: false }]);
    expect(fold([said, written, running]).openCalls).toEqual([{ toolName: "one", hasBegun: true }]);
    expect(fold([said, written, { ...running, callBegan }]).openCalls).toEqual([
      { toolName: "one", hasBegun: true },
    ]);
    expect(fold([said, written, { ...running, callBegan }]).messages.at(-1)).toEqual({
      role: "tool",
      toolName: "one",
      content: "The run ended before this call finished. The call may have taken effect.",
    });
  });
});

describe("restoring a compacted conversation", () => {
  const text = (content: string): TaskEntry => ({
    shown: { type: "message", data: { message: content } },
    model: { role: "assistant", content },
  });
  const contents = (entries: readonly TaskEntry[]) => fold(entries).messages.map(({ content }) => content);
  const summary = "Summary of the conversation so far:\n\nS";

  test("the model receives the summary and the entries after it, and clients receive everything", () => {
    const entries = [said, text("1"), text("2"), { compaction: { summary: "S", upTo: 2 } }, text("3")];
    expect(contents(entries)).toEqual([summary, "2", "3"]);
    expect(fold(entries).shown).toHaveLength(4);
  });

  test("a later compaction replaces an earlier one", () => {
    const entries = [
      said,
      { compaction: { summary: "old", upTo: 1 } },
      text("1"),
      { compaction: { summary: "S", upTo: 3 } },
      text("2"),
    ];
    expect(contents(entries)).toEqual([summary, "2"]);
  });

  test("a compaction cannot cover entries after it", () => {
    expect(contents([said, { compaction: { summary: "S", upTo: 99 } }, text("1")])).toEqual([summary, "1"]);
  });

  test.each([2, 3, 4])("a result does not stay without its call (up to entry %d)", (upTo) => {
    const second: TaskEntry = { model: { role: "tool", toolName: "two", callId: "b", content: "ok" } };
    const entries = [said, called, done, second, { compaction: { summary: "S", upTo } }, text("1")];
    expect(contents(entries)).toEqual([summary, "1"]);
  });
});
