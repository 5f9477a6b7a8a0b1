import { describe, expect, test } from "vitest";
import type { ServerMessage } from "../../src/messages/built-in-messages.js";
import { withOpenTask, withSending, withUndelivered } from "../../src/client/state/local-changes.js";
import { INITIAL_STATE, reduce } from "../../src/client/state/reduce.js";
import type { AgentState, TaskState } from "../../src/client/types.js";

const taskId = "t1";
const opened = withOpenTask(INITIAL_STATE, { taskId, isLoading: false }, 32);
const apply = (messages: readonly ServerMessage[], state: AgentState = opened) =>
  messages.reduce(reduce, state);
const taskOf = (state: AgentState): TaskState => {
  const task = state.open.get(taskId);
  if (task === undefined) throw new Error("The task is not open.");
  return task;
};
const text = (message: string, data: object = {}): ServerMessage => ({
  type: "message",
  data: { message, taskId, updateTime: 5, ...data },
});
const piece = (message: string) => text(message, { partial: true });
const ack = (type: string, data: object = {}, status: "acked" | "failed" = "acked"): ServerMessage => ({
  type: "ack",
  data: { taskId, targetMessage: { type, data: { taskId, ...data } }, status, updateTime: 3 },
});
const history = (messages: readonly unknown[], data: object = {}): ServerMessage => ({
  type: "taskHistory",
  data: { taskId, messages: [...messages], ...data },
});
const approval = (status: "waiting" | "approved" | "cancelled", approvalId = "a"): ServerMessage => ({
  type: "approval",
  data: { taskId, approvalId, toolName: "rm", status, updateTime: 7 },
});

describe("streamed messages", () => {
  test("pieces are appended, and the final message replaces them", () => {
    const streaming = apply([piece("Hel"), piece("lo")]);
    expect(taskOf(streaming).messages).toMatchObject([
      { type: "message", data: { message: "Hello", partial: true } },
    ]);
    const done = taskOf(apply([text("Hello!")], streaming));
    expect(done.messages).toMatchObject([{ data: { message: "Hello!" } }]);
    expect(done.messages[0]?.data).not.toHaveProperty("partial");
    expect(done.messages[0]?.key).toBe(taskOf(streaming).messages[0]?.key);
  });

  test("a discarded message is removed", () => {
    const state = apply([piece("Hel"), text("", { status: "discarded" })]);
    expect(taskOf(state).messages).toEqual([]);
  });

  test("each version of a tool call replaces the one before it", () => {
    const tool = (status: string, params: object): ServerMessage => ({
      type: "tool",
      data: { taskId, toolName: "search", message: "", params, status, updateTime: 6, partial: true },
    });
    const state = apply([tool("writing", { query: "c" }), tool("running", { query: "cats" })]);
    expect(taskOf(state)).toMatchObject({
      status: "tool_executing",
      isRunning: true,
      messages: [{ type: "tool", data: { params: { query: "cats" } } }],
    });
  });

  test("a streamed text does not grow beyond a million characters", () => {
    const state = apply(Array.from({ length: 12 }, () => piece("x".repeat(100_000))));
    expect(taskOf(state).messages[0]).toMatchObject({ data: { message: "x".repeat(1_000_000) } });
  });

  test("an open task keeps its newest 10,000 messages", () => {
    const alerts = Array.from({ length: 10_050 }, (_, index): unknown => ({
      type: "alert",
      data: { message: `${index}`, severity: "info", updateTime: index },
    }));
    const long = apply([history(alerts)]);
    expect(taskOf(long).messages).toHaveLength(10_000);
    const longer = taskOf(apply([text("newest")], long));
    expect(longer.messages).toHaveLength(10_000);
    expect(longer.messages.at(-1)).toMatchObject({ data: { message: "newest" } });
  });
});

describe("user messages", () => {
  const sending = withSending(opened, { taskId, messageId: "m1", message: "Hi" });

  test("a message is shown before the server has stored it", () => {
    expect(taskOf(sending)).toMatchObject({
      isRunning: false,
      messages: [{ type: "userSendMessage", data: { message: "Hi" }, delivery: "sending" }],
    });
  });

  test("its ack adds the time and starts the run", () => {
    const state = taskOf(apply([ack("userSendMessage", { message: "Hi", messageId: "m1" })], sending));
    expect(state).toMatchObject({ isRunning: true, status: "streaming" });
    expect(state.messages).toEqual([
      {
        key: taskOf(sending).messages[0]?.key,
        type: "userSendMessage",
        data: { message: "Hi", messageId: "m1", taskId, updateTime: 3 },
      },
    ]);
  });

  test("its ack, which only names the files, does not replace them", () => {
    const files = [{ mediaType: "image/png", name: "cat.png", data: "aaaa" }];
    const named = [{ mediaType: "image/png", name: "cat.png", data: "" }];
    const own = withSending(opened, { taskId, messageId: "m1", message: "See", files });
    const acked = ack("userSendMessage", { message: "See", messageId: "m1", files: named });
    expect(taskOf(apply([acked], own)).messages).toMatchObject([{ data: { files, updateTime: 3 } }]);
    expect(taskOf(apply([acked])).messages).toMatchObject([{ data: { files: named } }]);
  });

  test("a rejected message stays, and can be sent again", () => {
    const rejected = apply([ack("userSendMessage", { message: "Hi", messageId: "m1" }, "failed")], sending);
    expect(taskOf(rejected)).toMatchObject({ isRunning: false, messages: [{ delivery: "failed" }] });
    expect(withUndelivered(sending, taskId, "m1")).toEqual(rejected);
    const again = withSending(rejected, { taskId, messageId: "m1", message: "Hi" });
    expect(taskOf(again).messages).toMatchObject([{ delivery: "sending" }]);
  });

  test("another client's message is added, and an ack that arrives again does not start a run", () => {
    const other = ack("userSendMessage", { message: "Hello" });
    const over: ServerMessage = { type: "conversationOver", data: { taskId, reason: "answered" } };
    const state = apply([other, over]);
    expect(taskOf(state).messages).toHaveLength(1);
    expect(apply([other], state)).toBe(state);
  });

  test("a history that contains the message replaces it, and one that does not keeps it at the end", () => {
    const stored = {
      type: "userSendMessage",
      data: { message: "Hi", taskId, messageId: "m1", updateTime: 3 },
    };
    const known = taskOf(apply([history([stored])], sending));
    expect(known.messages).toEqual([{ ...stored, key: taskOf(sending).messages[0]?.key }]);
    const unknown = taskOf(apply([history([text("Earlier")])], sending));
    expect(unknown.messages).toMatchObject([
      { type: "message" },
      { type: "userSendMessage", delivery: "sending" },
    ]);
  });
});

describe("histories", () => {
  test("a history replaces the messages, and a partial message in it contains the text so far", () => {
    const before = apply([piece("stale"), { type: "interrupt", data: { taskId, updateTime: 9 } }]);
    const state = taskOf(
      apply([history([piece("Hello wor")], { status: "streaming" }), piece("ld")], before),
    );
    expect(state.messages).toMatchObject([{ data: { message: "Hello world", partial: true } }]);
    expect(state).toMatchObject({ status: "streaming", isRunning: true, isLoading: false });
  });

  test("the same history again changes nothing, and unchanged messages are shared", () => {
    const messages = [text("One", { updateTime: 1 }), text("Two", { updateTime: 2 })];
    const state = apply([history(messages)]);
    expect(apply([history(messages)], state)).toBe(state);
    const longer = apply([history([...messages, text("Three", { updateTime: 3 })])], state);
    expect(taskOf(longer).messages[0]).toBe(taskOf(state).messages[0]);
    expect(taskOf(longer).messages).toHaveLength(3);
  });

  test("invalid and unknown items are skipped", () => {
    const items = [
      null,
      1,
      {},
      { type: "message", data: { message: 1 } },
      { type: "new", data: {} },
      text("ok"),
    ];
    expect(taskOf(apply([history(items)])).messages).toMatchObject([{ data: { message: "ok" } }]);
  });

  test("a history of a task that is not open changes nothing", () => {
    expect(reduce(INITIAL_STATE, history([text("x")]))).toBe(INITIAL_STATE);
  });

  test("it sets the usage and the right to write", () => {
    const state = taskOf(apply([history([], { usage: { inputTokens: 4 }, canWrite: false })]));
    expect(state).toMatchObject({ usage: { inputTokens: 4 }, canWrite: false });
  });
});

describe("runs", () => {
  test.each([
    ["answered", "idle"],
    ["completed", "completed"],
    ["question", "idle"],
    ["approval", "waiting"],
    ["interrupted", "aborted"],
    ["error", "error"],
    ["stepLimit", "aborted"],
    ["length", "aborted"],
    ["budget", "aborted"],
  ] as const)("a run that ends with %s leaves the task %s", (reason, status) => {
    const state = taskOf(apply([piece("x"), { type: "conversationOver", data: { taskId, reason } }]));
    expect(state).toMatchObject({ isRunning: false, status, lastReason: reason });
  });

  test("a resumed task runs again", () => {
    const over: ServerMessage = { type: "conversationOver", data: { taskId, reason: "interrupted" } };
    const state = taskOf(apply([over, ack("resume")]));
    expect(state).toMatchObject({ isRunning: true, lastReason: undefined });
  });

  test("approvals wait until they are decided, and the run continues after the last decision", () => {
    const over: ServerMessage = { type: "conversationOver", data: { taskId, reason: "approval" } };
    const waiting = apply([approval("waiting", "a"), approval("waiting", "b"), over]);
    expect(taskOf(waiting).approvals.map(({ approvalId }) => approvalId)).toEqual(["a", "b"]);
    const one = apply([approval("approved", "a")], waiting);
    expect(taskOf(one)).toMatchObject({ isRunning: false, approvals: [{ approvalId: "b" }] });
    expect(taskOf(one).approvals[0]).toBe(taskOf(waiting).approvals[1]);
    const both = taskOf(apply([approval("approved", "b")], one));
    expect(both).toMatchObject({ isRunning: true, approvals: [], status: "tool_executing" });
    expect(both.messages).toHaveLength(2);
    expect(taskOf(apply([approval("cancelled", "b")], one)).isRunning).toBe(false);
  });

  test("usage, compaction, and files", () => {
    const state = taskOf(
      apply([
        {
          type: "usage",
          data: {
            taskId,
            response: {},
            run: {},
            task: { inputTokens: 9 },
            contextTokens: 7,
            contextWindow: 100,
          },
        },
        { type: "compaction", data: { taskId, summary: "So far", updateTime: 1 } },
        { type: "file", data: { taskId, mediaType: "image/png", data: "aaaa", updateTime: 2 } },
      ]),
    );
    expect(state).toMatchObject({ usage: { inputTokens: 9 }, contextTokens: 7, contextWindow: 100 });
    expect(state.messages.map(({ type }) => type)).toEqual(["compaction", "file"]);
  });

  test("subtasks belong to their parent", () => {
    const update = (taskStatus: string): ServerMessage => ({
      type: "assignTaskUpdated",
      data: { index: 0, taskId: "child", parentTaskId: taskId, taskStatus },
    });
    const state = taskOf(apply([update("running"), update("completed")]));
    expect(state.subtasks).toEqual([{ taskId: "child", index: 0, status: "completed" }]);
    expect(state.messages).toHaveLength(1);
  });
});

describe("the list of tasks", () => {
  const at = (second: number) => new Date(second * 1000).toISOString();
  const entry = (id: string, second: number) => ({ taskId: id, title: `Title ${id}`, updatedAt: at(second) });
  const histories = (...list: ReturnType<typeof entry>[]): ServerMessage => ({
    type: "sessionHistories",
    data: { sessionHistories: list },
  });
  const ids = (state: AgentState) => state.tasks.map((task) => task.taskId);

  test("it contains the latest tasks, and sets the titles of open ones", () => {
    const state = apply([histories(entry("t2", 2), entry(taskId, 1))]);
    expect(ids(state)).toEqual(["t2", taskId]);
    expect(taskOf(state).title).toBe("Title t1");
    expect(apply([histories(entry("t2", 2), entry(taskId, 1))], state)).toBe(state);
  });

  test("a complete list removes tasks that no longer exist; a page keeps the older ones", () => {
    const list = (tasks: ReturnType<typeof entry>[], rest: object): ServerMessage => ({
      type: "taskList",
      data: { tasks, ...rest },
    });
    const first = apply([list([entry("d", 4), entry("c", 3)], { nextCursor: "x" })]);
    const both = apply([list([entry("b", 2), entry("a", 1)], { cursor: "x" })], first);
    expect(ids(both)).toEqual(["d", "c", "b", "a"]);
    expect(ids(apply([list([entry("d", 4)], { nextCursor: "x" })], both))).toEqual(["d", "c", "b", "a"]);
    expect(ids(apply([list([entry("e", 5), entry("c", 3)], { nextCursor: "x" })], both))).toEqual([
      "e",
      "c",
      "b",
      "a",
    ]);
    expect(ids(apply([histories(entry("c", 3))], both))).toEqual(["c"]);
    expect(apply([list([entry("z", 9)], { search: "z" })], both)).toBe(both);
  });

  test("a new message moves a task to the start", () => {
    const state = apply([
      histories(entry("t2", 2), entry(taskId, 0)),
      ack("userSendMessage", { message: "x" }),
    ]);
    expect(ids(state)).toEqual(["t2", taskId]);
    const later: ServerMessage = {
      type: "ack",
      data: {
        taskId,
        targetMessage: { type: "userSendMessage", data: { message: "y" } },
        status: "acked",
        updateTime: 5000,
      },
    };
    expect(ids(apply([later], state))).toEqual([taskId, "t2"]);
  });

  test("tasks are renamed and removed", () => {
    const state = apply([
      histories(entry(taskId, 1)),
      { type: "taskRenamed", data: { taskId, title: "New" } },
    ]);
    expect(state.tasks[0]?.title).toBe("New");
    expect(taskOf(state).title).toBe("New");
    const removed = apply([{ type: "taskRemoved", data: { taskId, reason: "deleted" } }], state);
    expect(removed.tasks).toEqual([]);
    expect(removed.open.size).toBe(0);
    expect(apply([ack("deleteTask")], state)).toEqual(removed);
  });
});

describe("open tasks", () => {
  const open = (state: AgentState, id: string) => withOpenTask(state, { taskId: id, isLoading: true }, 2);

  test("the oldest task that is not running is closed first", () => {
    const two = open(open(INITIAL_STATE, taskId), "b");
    const running = reduce(two, piece("x"));
    expect([...open(running, "c").open.keys()]).toEqual([taskId, "c"]);
    expect([...open(two, "c").open.keys()]).toEqual(["b", "c"]);
    expect([...open(open(two, taskId), "c").open.keys()]).toEqual([taskId, "c"]);
  });

  test("other tasks keep their identity", () => {
    const two = open(open(INITIAL_STATE, taskId), "b");
    expect(reduce(two, piece("x")).open.get("b")).toBe(two.open.get("b"));
    expect(open(two, "b")).toBe(two);
  });
});
