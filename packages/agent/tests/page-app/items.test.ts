import { describe, expect, test } from "vitest";
import { announcementOf } from "../../page/state/announcements.js";
import { toItems } from "../../page/state/items/to-items.js";
import {
  isLongCall,
  summarize,
  TOOL_ICONS,
  TOOL_LABELS,
  toParams,
} from "../../page/state/items/tool-facts.js";
import { TOOL_STATUSES, type ToolItem } from "../../page/state/items/item.js";
import { createTask, message } from "../support/page-app/samples.js";

describe("items of a conversation", () => {
  test("each message is one item, with the facts that its view needs", () => {
    const items = toItems([
      message("userSendMessage", { message: "Hi", updateTime: 5 }),
      message("think", { message: "Hm", partial: true }),
      message("message", { message: "Hello", status: "interrupted" }),
      message("completionResult", { message: "Done" }),
      message("tool", { toolName: "look", params: { a: 1 }, status: "failed", error: "No" }),
      message("file", { mediaType: "image/png", data: "AAAA" }),
      message("askFollowupQuestion", { question: "Which?", suggestOptions: ["A", "B"] }),
      message("compaction", { summary: "Short" }),
      message("interrupt"),
      message("error", { message: "Broken" }),
      message("alert", { message: "Look", severity: "warning" }),
    ]);
    expect(items.map(({ kind }) => kind)).toEqual([
      "user",
      "think",
      "text",
      "result",
      "tool",
      "file",
      "question",
      "compaction",
      "notice",
      "notice",
      "notice",
    ]);
    expect(items[0]).toMatchObject({ text: "Hi", time: 5, files: [], delivery: undefined });
    expect(items[1]).toMatchObject({ isPartial: true, isCut: false });
    expect(items[2]).toMatchObject({ isPartial: false, isCut: true });
    expect(items[4]).toMatchObject({ name: "look", status: "failed", error: "No" });
    expect(items[6]).toMatchObject({ text: "Which?", options: ["A", "B"] });
    expect(items.slice(8)).toMatchObject([{ tone: "info" }, { tone: "danger" }, { tone: "warning" }]);
  });

  test("a message that has not changed keeps its item", () => {
    const first = message("message", { message: "Hello" });
    const [before] = toItems([first]);
    const [after] = toItems([first, message("think", { message: "Hm" })]);
    expect(after).toBe(before);
  });

  test.each([
    [{ partial: true, status: "writing" }, "writing"],
    [{ partial: true }, "running"],
    [{ status: "interrupted" }, "interrupted"],
    [{ status: "denied", error: "Not allowed" }, "denied"],
    [{ status: "something new" }, "done"],
    [{ status: "something new", error: "" }, "done"],
    [{ status: "something new", error: "No" }, "failed"],
    [{ status: "something new", error: "No", partial: true }, "running"],
    [{ error: "No" }, "failed"],
    [{}, "done"],
  ])("a call with %j has the status %s", (data, status) => {
    expect(toItems([message("tool", data)])[0]).toMatchObject({ kind: "tool", name: "tool", status });
  });

  test("subtasks of a call are one list with the descriptions of the call", () => {
    const part = (index: number, taskId: string, taskStatus: string) =>
      message("assignTaskUpdated", { index, taskId, parentTaskId: "t", taskStatus });
    const call = (tasklist: unknown) => message("tool", { toolName: "assignTasks", params: { tasklist } });
    const items = toItems([
      call(["One", "Two"]),
      part(1, "b", "running"),
      part(0, "a", "running"),
      part(1, "b", "completed"),
      call("not a list"),
      part(0, "c", "failed"),
    ]);
    expect(items.map(({ kind }) => kind)).toEqual(["tool", "subtasks", "tool", "subtasks"]);
    expect(items[1]).toMatchObject({
      entries: [
        { taskId: "a", index: 0, status: "running", label: "One" },
        { taskId: "b", index: 1, status: "completed", label: "Two" },
      ],
    });
    expect(items[3]).toMatchObject({ entries: [{ taskId: "c", status: "failed", label: "" }] });
  });
});

describe("facts about tool calls", () => {
  const call = (facts: Partial<ToolItem>): ToolItem => ({
    kind: "tool",
    key: "k",
    name: "look",
    status: "done",
    params: undefined,
    text: "",
    result: undefined,
    error: undefined,
    ...facts,
  });

  test.each([
    [undefined, []],
    [null, []],
    [{ a: 1, b: "x" }, ["a", "b"]],
    [[1, 2], [""]],
    ["text", [""]],
  ])("the parameters %j have the names %j", (params, names) => {
    expect(toParams(params).map(({ name }) => name)).toEqual(names);
  });

  test.each([
    [{ text: "Found\n3" }, "Found 3"],
    [{ params: { query: "oak", limit: 3 } }, "oak"],
    [{ params: { filter: { a: [1] } } }, '{ "a": [ 1 ] }'],
    [{ status: "failed", error: "No\u0007 access", text: "x" } as const, "No access"],
    [{ status: "denied", error: "Not allowed", text: "x" } as const, "Not allowed"],
    [{}, ""],
    [{ text: "x".repeat(1_000) }, `${"x".repeat(119)}…`],
  ])("the summary of %j is one short line", (facts, line) => {
    expect(summarize(call(facts))).toBe(line);
  });

  test("each status has its own label, and each end its own icon", () => {
    expect(TOOL_STATUSES.map((status) => TOOL_LABELS[status])).toEqual([
      "Writing",
      "Running",
      "Done",
      "Failed",
      "Denied",
      "Stopped",
    ]);
    expect(new Set(Object.values(TOOL_ICONS)).size).toBe(4);
  });

  test("only a call with long parameters is worth watching", () => {
    expect(isLongCall({ params: { a: "short" } })).toBe(false);
    expect(isLongCall({ params: { a: "long ".repeat(40) } })).toBe(true);
  });
});

describe("announcements", () => {
  const answer = message("message", { message: "Use **oak**" });

  test("a run is announced when it starts and when it ends, and not in between", () => {
    const idle = createTask();
    const running = createTask({ isRunning: true });
    const streaming = createTask({
      isRunning: true,
      messages: [message("message", { message: "Use", partial: true })],
    });
    expect(announcementOf(idle, running)).toBe("The agent is working.");
    expect(announcementOf(running, streaming)).toBe("");
    expect(announcementOf(streaming, createTask({ messages: [answer] }))).toBe("Response: Use **oak**");
  });

  test.each([
    [message("askFollowupQuestion", { question: "Which?" }), "Question: Which?"],
    [message("completionResult", { message: "All done" }), "Result: All done"],
    [message("error", { message: "Broken" }), "Broken"],
    [message("tool", { toolName: "look" }), "The agent has finished."],
  ])("the end of a run announces its last message", (last, text) => {
    expect(announcementOf(createTask({ isRunning: true }), createTask({ messages: [last] }))).toBe(text);
  });

  test("calls that wait for approval are announced once", () => {
    const approval = { taskId: "t", approvalId: "a", toolName: "delete", status: "waiting" as const };
    const waiting = createTask({ approvals: [approval] });
    expect(announcementOf(createTask({ isRunning: true }), waiting)).toBe(
      "The agent asks for your approval: delete.",
    );
    expect(announcementOf(waiting, waiting)).toBe("");
  });

  test("another conversation and one that loads are not announced", () => {
    const other = createTask({ taskId: "other", messages: [answer] });
    expect(announcementOf(createTask({ isRunning: true }), other)).toBe("");
    expect(announcementOf(createTask({ isLoading: true }), createTask({ messages: [answer] }))).toBe("");
    expect(announcementOf(undefined, other)).toBe("");
  });

  test("a long text is cut", () => {
    const long = message("message", { message: "word ".repeat(10_000) });
    const text = announcementOf(createTask({ isRunning: true }), createTask({ messages: [long] }));
    expect(text.length).toBeLessThan(1_020);
  });
});
