import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame, State } from "../../examples/agent/page/types.js";
import { after, announcements, frame, page, shown } from "./page-modules.js";

const begin = () => page.withConnection(page.initialState("t"), "open");
const history = (status: string, ...messages: readonly Frame[]) => frame("taskHistory", { status, messages });
const ack = (type: string, data: Frame["data"], more: Frame["data"] = {}) =>
  frame("ack", { targetMessage: { type, data }, status: "acked", updateTime: 5, ...more });

describe("streamed messages", () => {
  test.each(["message", "think"])("a %s grows with each chunk, and the last chunk completes it", (type) => {
    const growing = after(
      begin(),
      frame(type, { message: "Hel", partial: true, updateTime: 1 }),
      frame(type, { message: "lo", partial: true, updateTime: 1 }),
    );
    expect(growing.items).toMatchObject([{ text: "Hello", isPartial: true }]);
    expect(page.isRunning(growing)).toBe(true);
    const whole = after(growing, frame(type, { message: "Hello!", updateTime: 1 }));
    expect(whole.items).toMatchObject([{ text: "Hello!", isPartial: false }]);
  });

  test("two messages stay separate, and a discarded one is removed", () => {
    const state = after(
      begin(),
      frame("message", { message: "a", partial: true, updateTime: 1 }),
      frame("message", { message: "b", partial: true, updateTime: 2 }),
      frame("message", { message: "c", partial: true, updateTime: 1 }),
      frame("message", { message: "", status: "discarded", updateTime: 2 }),
    );
    expect(shown(state)).toEqual(["message ac"]);
  });

  test("an interrupted message is marked", () => {
    const state = after(begin(), frame("message", { message: "Hal", status: "interrupted", updateTime: 1 }));
    expect(state.items).toMatchObject([{ text: "Hal", isPartial: false, isCut: true }]);
  });

  test("an update replaces all of a call's parameters and changes its status", () => {
    const call = { toolName: "write_note", updateTime: 3 };
    const writing = after(
      begin(),
      frame("tool", { ...call, params: { title: "o" }, message: "", partial: true, status: "writing" }),
      frame("tool", { ...call, params: { title: "oak" }, message: "", partial: true, status: "writing" }),
    );
    expect(shown(writing)).toEqual(['tool write_note writing {"title":"oak"}']);
    const running = after(
      writing,
      frame("tool", {
        ...call,
        params: { title: "oak" },
        message: "half",
        partial: true,
        status: "running",
      }),
    );
    expect(running.items).toMatchObject([{ status: "running", text: "half" }]);
    const done = after(
      running,
      frame("tool", { ...call, params: {}, message: "Kept", toolResult: 7, status: "done" }),
    );
    expect(done.items).toMatchObject([{ status: "done", text: "Kept", result: 7, error: "" }]);
  });

  test("frames from a different conversation change only that conversation's running state", () => {
    const state = after(
      begin(),
      frame("message", { message: "x", partial: true, taskId: "u", updateTime: 1 }),
    );
    expect(state.items).toEqual([]);
    expect([...state.busy]).toEqual(["u"]);
    expect([...after(state, frame("conversationOver", { taskId: "u", reason: "answered" })).busy]).toEqual(
      [],
    );
  });

  test("frames without a time and unknown frames do not break the state", () => {
    const state = after(
      begin(),
      frame("alert", { message: "one", severity: "warning" }),
      frame("alert", { message: "two", severity: "nonsense" }),
      frame("somethingNew", { message: "three" }),
      { type: "error", data: { message: "four" } },
    );
    expect(state.items).toMatchObject([
      { severity: "warning", text: "one" },
      { severity: "info", text: "two" },
      { severity: "error", text: "four" },
    ]);
  });
});

describe("the user's messages", () => {
  test("a message is pending until it is acknowledged, and a new conversation then has its ID", () => {
    const sent = page.withSent(page.withConnection(page.initialState(""), "open"), "Hi");
    expect(sent.items).toMatchObject([{ kind: "user", text: "Hi", isPending: true }]);
    const safe = after(sent, ack("userSendMessage", { message: "Hi" }));
    expect(safe).toMatchObject({ taskId: "t", sending: undefined });
    expect(safe.items).toMatchObject([{ text: "Hi", isPending: false }]);
    expect(page.isRunning(safe)).toBe(true);
  });

  test("a rejected message returns to the input", () => {
    const refused = after(
      page.withSent(begin(), "Hi"),
      ack("userSendMessage", { message: "Hi", taskId: "t" }, { status: "failed" }),
      frame("error", { message: "The task is running", updateTime: 6 }),
    );
    expect(refused.returned).toEqual({ taskId: "t", message: "Hi" });
    expect(shown(refused)).toEqual(["notice The task is running"]);
    expect(page.withNothingReturned(refused).returned).toBeUndefined();
  });

  test("messages from other clients are shown too", () => {
    const state = after(begin(), ack("userSendMessage", { message: "from elsewhere", taskId: "t" }));
    expect(shown(state)).toEqual(["user from elsewhere"]);
    expect(page.isRunning(state)).toBe(true);
  });

  test("an active conversation moves to the top of the list", () => {
    const sessionHistories = ["a", "t"].map((taskId) => ({
      taskId,
      title: taskId,
      updatedAt: "2020-01-01T00:00:00.000Z",
    }));
    const state = after(
      begin(),
      { type: "sessionHistories", data: { sessionHistories } },
      ack("userSendMessage", { message: "x", taskId: "t" }, { updateTime: 86_400_000 }),
    );
    expect(state.tasks.map(({ taskId, updatedAt }) => [taskId, updatedAt])).toEqual([
      ["t", "1970-01-02T00:00:00.000Z"],
      ["a", "2020-01-01T00:00:00.000Z"],
    ]);
  });

  test("a late ID for an earlier conversation does not replace the current one", () => {
    const sent = page.withSent(page.withConnection(page.initialState(""), "open"), "Hi");
    const elsewhere = page.openTask(sent, "u");
    expect(after(elsewhere, ack("userSendMessage", { message: "Hi" }))).toMatchObject({
      taskId: "u",
      sending: undefined,
      items: [],
    });
    const anew = page.openTask(sent, "");
    expect(after(anew, ack("userSendMessage", { message: "Hi" }))).toMatchObject({ taskId: "", items: [] });
  });
});

describe("a lost connection", () => {
  const sent = () => page.withSent(begin(), "Hi");
  const user = frame("userSendMessage", { message: "Hi", updateTime: 2 });

  test("a message that arrived is not sent twice", () => {
    const back = after(page.withConnection(sent(), "lost"), history("streaming", user));
    expect(back).toMatchObject({ sending: undefined, returned: undefined });
    expect(shown(back)).toEqual(["user Hi"]);
  });

  test("a message that did not arrive returns to the input", () => {
    const back = after(page.withConnection(sent(), "lost"), history("idle"));
    expect(back).toMatchObject({ sending: undefined, returned: { taskId: "t", message: "Hi" }, items: [] });
  });

  test("a message for a conversation without an ID returns to the input immediately", () => {
    const lost = page.withConnection(page.withSent(page.initialState(""), "Hi"), "lost");
    expect(lost).toMatchObject({ returned: { taskId: "", message: "Hi" }, sending: undefined, items: [] });
  });

  test("a message to a deleted conversation returns to the input", () => {
    const failed = ack("loadTask", { taskId: "t" }, { status: "failed" });
    const back = after(page.withConnection(sent(), "lost"), failed);
    expect(back).toMatchObject({
      sending: undefined,
      returned: { taskId: "t", message: "Hi" },
      isLoading: false,
    });
  });

  test("the old content stays until the conversation is reloaded", () => {
    const running = after(begin(), frame("message", { message: "Hel", partial: true, updateTime: 1 }));
    const lost = page.withConnection(running, "lost");
    expect(shown(lost)).toEqual(["message Hel"]);
    const back = after(
      lost,
      history("streaming", frame("message", { message: "Hello, wo", partial: true, updateTime: 1 })),
      frame("message", { message: "rld", partial: true, updateTime: 1 }),
    );
    expect(shown(back)).toEqual(["message Hello, world"]);
  });
});

describe("a history", () => {
  test("replaces everything and sets the status", () => {
    const before = after(begin(), frame("alert", { message: "old", severity: "info", updateTime: 1 }));
    const state = after(
      before,
      history(
        "completed",
        frame("userSendMessage", { message: "Do it", updateTime: 1 }),
        frame("completionResult", { message: "Done", updateTime: 2 }),
      ),
    );
    expect(shown(state)).toEqual(["user Do it", "completion Done"]);
    expect(state).toMatchObject({ isLoading: false, over: "completed" });
  });

  test("keeps the order of arrival and puts subtasks below the call that created them", () => {
    const state = after(
      begin(),
      history(
        "idle",
        frame("userSendMessage", { message: "Do it", updateTime: 1 }),
        frame("tool", {
          toolName: "assignTasks",
          params: { tasklist: ["Part one"] },
          status: "done",
          updateTime: 2,
        }),
        frame("assignTaskUpdated", { taskId: "p", parentTaskId: "t", index: 0, taskStatus: "running" }),
        frame("alert", { message: "meanwhile", severity: "info", updateTime: 3 }),
        frame("assignTaskUpdated", { taskId: "p", parentTaskId: "t", index: 0, taskStatus: "completed" }),
      ),
    );
    expect(shown(state)).toEqual([
      "user Do it",
      'tool assignTasks done {"tasklist":["Part one"]}',
      "parts p:completed",
      "notice meanwhile",
    ]);
    expect(state.items[2]).toMatchObject({ parts: [{ label: "Part one" }] });
  });

  test.each([
    ["aborted", "interrupted", true],
    ["error", "error", true],
    ["completed", "completed", false],
    ["idle", "", false],
    ["streaming", "", false],
    ["tool_executing", "", false],
  ])("of a conversation with status %s has the end reason %j", (status, over, resumable) => {
    const state = after(begin(), history(status));
    expect(state.over).toBe(over);
    expect(page.canResume(state)).toBe(resumable);
    expect(page.isRunning(state)).toBe(status === "streaming" || status === "tool_executing");
  });

  test("that cannot be loaded ends the loading state", () => {
    const state = after(begin(), ack("loadTask", { taskId: "t" }, { status: "failed" }));
    expect(state.isLoading).toBe(false);
  });

  test("of a subtask links to its parent", () => {
    const state = after(begin(), frame("taskHistory", { status: "idle", messages: [], parentTaskId: "w" }));
    expect(state.parents.get("t")).toBe("w");
  });

  test("of a different conversation is ignored", () => {
    const other = frame("taskHistory", { taskId: "u", status: "idle", messages: [] });
    const state = begin();
    expect(after(state, other)).toBe(state);
  });
});

describe("the end of a run", () => {
  test.each([
    ["interrupted", true],
    ["error", true],
    ["stepLimit", true],
    ["answered", false],
    ["completed", false],
    ["question", false],
  ])("with reason %s sets canResume to %j", (reason, resumable) => {
    const running = page.withStopping(after(begin(), ack("userSendMessage", { message: "x", taskId: "t" })));
    const over = after(running, frame("conversationOver", { reason }));
    expect(page.isRunning(over)).toBe(false);
    expect(over.isStopping).toBe(false);
    expect(page.canResume(over)).toBe(resumable);
  });

  test("a resumed conversation is running", () => {
    const over = after(begin(), frame("conversationOver", { reason: "interrupted" }));
    const again = after(over, ack("resume", { taskId: "t" }));
    expect(page.isRunning(again)).toBe(true);
    expect(page.canResume(again)).toBe(false);
  });

  test("a late interrupt does not leave the button disabled", () => {
    const state = after(page.withStopping(begin()), ack("interrupt", { taskId: "t" }, { status: "failed" }));
    expect(state.isStopping).toBe(false);
  });
});

test("a second set of subtasks starts a second list", () => {
  const part = (taskId: string, index: number, taskStatus = "running") =>
    frame("assignTaskUpdated", { taskId, parentTaskId: "t", index, taskStatus });
  const state = after(begin(), part("b", 1), part("a", 0), part("b", 1, "failed"), part("c", 0));
  expect(shown(state)).toEqual(["parts a:running b:failed", "parts c:running"]);
  expect(state.parents.get("c")).toBe("t");
});

test("announcements contain results, not every chunk", () => {
  const frames = [
    ack("userSendMessage", { message: "x", taskId: "t" }),
    frame("message", { message: "Hel", partial: true, updateTime: 7 }),
    frame("message", { message: "Hello", updateTime: 7 }),
    frame("conversationOver", { reason: "answered" }),
    frame("alert", { message: "Look out", severity: "warning", updateTime: 8 }),
  ];
  let state: State = begin();
  const said = frames.map((next) => {
    const before = state;
    state = page.receive(before, next);
    return announcements.announcementOf(before, state);
  });
  expect(said).toEqual(["The agent is working", "", "", "Response: Hello", "Look out"]);
});

test("arbitrary frames do not break the state", () => {
  const shownTypes = [
    "message",
    "think",
    "tool",
    "askFollowupQuestion",
    "completionResult",
    "error",
    "alert",
  ];
  const others = [
    "assignTaskUpdated",
    "interrupt",
    "conversationOver",
    "ack",
    "taskHistory",
    "sessionHistories",
  ];
  const types = [...shownTypes, ...others];
  const data = fc.record(
    {
      taskId: fc.oneof(fc.constant("t"), fc.anything()),
      message: fc.anything(),
      updateTime: fc.oneof(fc.nat(3), fc.anything()),
      partial: fc.anything(),
      status: fc.anything(),
      params: fc.anything(),
      targetMessage: fc.anything(),
      messages: fc.anything(),
      sessionHistories: fc.anything(),
      suggestOptions: fc.anything(),
      parentTaskId: fc.constantFrom("t", "u", undefined),
      index: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const frames = fc.array(fc.record({ type: fc.constantFrom(...types), data }), { maxLength: 20 });
  fc.assert(
    fc.property(frames, (list) => {
      const { items } = after(begin(), ...list);
      // Keys must be unique, because each item has its own element.
      expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
    }),
    { numRuns: 300 },
  );
});
