import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgentClient } from "../../src/client/agent-client.js";
import type { AgentClientOptions } from "../../src/client/options.js";
import { createFakeSockets } from "../support/client/fake-socket.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(options: Partial<AgentClientOptions> = {}) {
  const fake = createFakeSockets();
  const errors: unknown[] = [];
  const client = createAgentClient<{ note: { text: string } }>({
    url: "ws://127.0.0.1:1",
    WebSocket: fake.WebSocket,
    onError: (error) => errors.push(error),
    ...options,
  });
  const connected = client.connect();
  return { client, fake, errors, connected };
}

/** Lets promises settle. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Starts a client whose first connection is open. */
async function startOpen(options: Partial<AgentClientOptions> = {}) {
  const started = start(options);
  await settle();
  started.fake.last.accept();
  await started.connected;
  return started;
}

describe("connecting", () => {
  test("the client is open when the server has accepted it", async () => {
    const { client, fake, connected } = start();
    expect(client.state.connection).toBe("connecting");
    await settle();
    fake.last.open();
    expect(client.state.connection).toBe("connecting");
    fake.last.receive({ type: "connected", data: { message: "", userId: "ada", canWrite: false } });
    await connected;
    expect(client.state).toMatchObject({ connection: "open", user: { id: "ada", canWrite: false } });
    expect(fake.last.sent).toEqual([]);
  });

  test("the token is the first message", async () => {
    const { fake } = start({ token: async () => "secret" });
    await settle();
    fake.last.open();
    expect(fake.last.sent).toEqual([{ type: "authenticate", data: { token: "secret" } }]);
  });

  test("requests before `connect` and after `close` are rejected", async () => {
    const fake = createFakeSockets();
    const client = createAgentClient({ url: "ws://x", WebSocket: fake.WebSocket });
    await expect(client.send("Hi")).rejects.toMatchObject({
      code: "closed",
      message: /Call `connect` first/,
    });
    expect(client.state.open.size).toBe(0);
    const connected = client.connect();
    client.close();
    await expect(connected).rejects.toMatchObject({ code: "closed" });
    await expect(client.list()).rejects.toMatchObject({ code: "closed", message: "The client was closed." });
    expect(client.state.connection).toBe("closed");
  });

  test("a client can connect again after it was closed", async () => {
    const { client, fake } = await startOpen();
    client.close();
    expect(fake.last.closedWith).toBe(1000);
    const again = client.connect();
    await settle();
    fake.last.accept();
    await again;
    expect(fake.sockets).toHaveLength(2);
  });

  test.each([
    ["http://a.example/agent#x", "ws://a.example/agent"],
    ["https://a.example", "wss://a.example/"],
    [new URL("wss://a.example:1"), "wss://a.example:1/"],
  ])("%s is connected to as %s", async (url, expected) => {
    const { fake } = start({ url });
    await settle();
    expect(fake.last.url).toBe(expected);
  });

  test.each([
    [{ url: "nonsense" }, "`url` must be a URL"],
    [{ url: "ftp://x" }, '`url` must start with "ws:", "wss:", "http:", or "https:"; got "ftp:".'],
    [
      { url: "ws://x", maxOpenTasks: 0 },
      "createAgentClient: `maxOpenTasks` must be an integer from 1 to 64; got 0.",
    ],
    [{ url: "ws://x", timeout: 5 }, "unknown option `timeout`. Did you mean `requestTimeout`?"],
    [
      { url: "ws://x", reconnect: { minDelay: -1 } },
      "createAgentClient: `reconnect`: `minDelay` must be a number from 1 to",
    ],
  ])("%j is rejected", (options, message) => {
    expect(() => createAgentClient(options)).toThrow(message);
  });

  test("a runtime without a WebSocket class is told what to do", async () => {
    vi.stubGlobal("WebSocket", undefined);
    try {
      await expect(createAgentClient({ url: "ws://x" }).connect()).rejects.toThrow(
        'Install the package "ws"',
      );
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("reconnecting", () => {
  test("the delays double, vary at random, and have a limit", async () => {
    const { client, fake } = await startOpen({ reconnect: { minDelay: 1_000, maxDelay: 4_000 } });
    for (const longest of [1_000, 2_000, 4_000, 4_000]) {
      const { length } = fake.sockets;
      fake.last.fail();
      expect(client.state.connection).toBe("reconnecting");
      await vi.advanceTimersByTimeAsync(longest / 2 - 1);
      expect(fake.sockets).toHaveLength(length);
      await vi.advanceTimersByTimeAsync(longest / 2 + 1);
      expect(fake.sockets).toHaveLength(length + 1);
    }
  });

  test("a stable connection resets the delay", async () => {
    const { fake } = await startOpen({ reconnect: { minDelay: 1_000 } });
    for (let round = 0; round < 4; round++) {
      fake.last.fail();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(fake.sockets).toHaveLength(round + 2);
      fake.last.accept();
      await vi.advanceTimersByTimeAsync(5_000);
    }
  });

  test("a server that never accepts the client is tried again", async () => {
    const { fake } = start();
    await settle();
    fake.last.open();
    await vi.advanceTimersByTimeAsync(16_000);
    expect(fake.sockets).toHaveLength(2);
    expect(fake.sockets[0]?.closedWith).toBeDefined();
  });

  test("the client retries at once when the browser is online again", async () => {
    const events = new EventTarget();
    vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
    vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
    try {
      const { client, fake } = await startOpen({ reconnect: { minDelay: 20_000 } });
      fake.last.fail();
      events.dispatchEvent(new Event("online"));
      await settle();
      expect(fake.sockets).toHaveLength(2);
      events.dispatchEvent(new Event("online"));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(fake.sockets).toHaveLength(2);
      client.close();
      events.dispatchEvent(new Event("online"));
      await settle();
      expect(fake.sockets).toHaveLength(2);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test.each([
    [{ maxAttempts: 2 }, 3],
    [false, 1],
  ] as const)("with reconnect: %j, the client closes after %d connections", async (reconnect, count) => {
    const { client, fake } = await startOpen({ reconnect });
    const sent = client.send("Hi");
    const failure = expect(sent).rejects.toMatchObject({ code: "disconnected" });
    for (let round = 0; round < 3; round++) {
      fake.last.fail();
      await vi.advanceTimersByTimeAsync(60_000);
    }
    await failure;
    expect(fake.sockets).toHaveLength(count);
    expect(client.state.connection).toBe("closed");
    const [task] = client.state.open.values();
    expect(task?.messages).toMatchObject([{ delivery: "failed" }]);
  });

  test("a token function that fails is called again later", async () => {
    const token = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new Error("offline"))
      .mockResolvedValue("t");
    const { fake, errors } = start({ token });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(errors).toEqual([new Error("offline")]);
    expect(fake.sockets).toHaveLength(1);
  });
});

describe("a rejected token", () => {
  test("ends the client, and its requests are rejected", async () => {
    const { client, fake, connected } = start({ token: "old" });
    await settle();
    const sent = client.send("Hi");
    fake.last.open();
    fake.last.fail(4401);
    await expect(connected).rejects.toMatchObject({ code: "unauthorized" });
    await expect(sent).rejects.toMatchObject({ code: "unauthorized" });
    await expect(client.send("Hi")).rejects.toMatchObject({ code: "unauthorized" });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(fake.sockets).toHaveLength(1);
    expect(client.state.connection).toBe("unauthorized");
  });

  test("is replaced once by a new one", async () => {
    let count = 0;
    const { client, fake } = start({ token: () => `token ${++count}` });
    for (let round = 0; round < 2; round++) {
      await settle();
      fake.last.open();
      fake.last.fail(4401);
    }
    await settle();
    expect(fake.sockets.map(({ sent }) => sent[0]?.data)).toEqual([
      { token: "token 1" },
      { token: "token 2" },
    ]);
    expect(client.state.connection).toBe("unauthorized");
  });

  test("is not tried again if the function returns the same one", async () => {
    const { client, fake } = start({ token: () => "same" });
    await settle();
    fake.last.open();
    fake.last.fail(4401);
    await settle();
    expect(fake.sockets).toHaveLength(1);
    expect(client.state.connection).toBe("unauthorized");
  });

  test("is recognized by the HTTP status that `ws` reports", async () => {
    const { client, fake } = start();
    await settle();
    fake.last.fail(1006, "Unexpected server response: 401");
    await settle();
    expect(client.state.connection).toBe("unauthorized");
  });
});

describe("requests", () => {
  const task = "t1";

  test("a message without an ack is sent again with the same IDs, and its task is loaded afterwards", async () => {
    const { client, fake } = await startOpen();
    const sent = client.send("Hi", { files: [{ mediaType: "image/png", data: "aaaa" }] });
    const [first] = fake.last.sent;
    fake.last.fail();
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    expect(fake.last.sent).toEqual([first]);
    if (first !== undefined) fake.last.answer(first);
    expect(await sent).toEqual({ taskId: first?.data["taskId"], updateTime: 1 });
    await settle();
    expect(fake.last.sent[1]).toEqual({ type: "loadTask", data: { taskId: first?.data["taskId"] } });
  });

  test("messages that are sent without a connection follow when it is open", async () => {
    const { client, fake } = start({ requestTimeout: 100 });
    const sent = client.send("Hi", { taskId: task });
    await vi.advanceTimersByTimeAsync(10_000);
    fake.last.accept();
    expect(fake.last.sent).toMatchObject([
      { type: "userSendMessage", data: { message: "Hi", taskId: task } },
    ]);
    if (fake.last.sent[0] !== undefined) fake.last.answer(fake.last.sent[0]);
    await sent;
  });

  test("open tasks are loaded again after a reconnect, and those that no longer exist are closed", async () => {
    const { client, fake } = await startOpen();
    for (const taskId of ["a", "b"]) {
      const opened = client.open(taskId);
      fake.last.receive({ type: "taskHistory", data: { taskId, messages: [] } });
      expect(await opened).toMatchObject({ taskId, isLoading: false });
    }
    fake.last.fail();
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    fake.last.receive({ type: "taskHistory", data: { taskId: "b", messages: [] } });
    await settle();
    expect(fake.last.sent.map(({ data }) => data)).toEqual([{ taskId: "b" }, { taskId: "a" }]);
    const [, a] = fake.last.sent;
    if (a !== undefined) fake.last.answer(a, 'Task "a" does not exist.');
    await settle();
    expect([...client.state.open.keys()]).toEqual(["b"]);
  });

  test("open tasks are loaded again one at a time, the most recently used first", async () => {
    const { client, fake } = await startOpen();
    const load = (taskId: string) =>
      fake.last.receive({ type: "taskHistory", data: { taskId, messages: [] } });
    const loaded = () => fake.last.sent.map(({ data }) => data["taskId"]);
    for (const taskId of ["a", "b", "c", "d"]) {
      const opened = client.open(taskId);
      load(taskId);
      await opened;
    }
    fake.last.fail();
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    await settle();
    expect(loaded()).toEqual(["d"]);
    const opened = client.open("a");
    load("d");
    await settle();
    expect(loaded()).toEqual(["d", "a"]);
    load("a");
    await opened;
    await settle();
    expect(loaded()).toEqual(["d", "a", "c"]);
    // The connection is lost again, so all tasks are loaded on the next one.
    fake.last.fail();
    await vi.advanceTimersByTimeAsync(2_000);
    fake.last.accept();
    await settle();
    expect(loaded()).toEqual(["c"]);
    for (const taskId of ["c", "a", "d"]) {
      load(taskId);
      await settle();
    }
    expect(loaded()).toEqual(["c", "a", "d", "b"]);
    const [b] = fake.last.sent.slice(-1);
    if (b !== undefined) fake.last.answer(b, "Broken.");
    await settle();
    expect(loaded()).toHaveLength(4);
  });

  test("tasks that are opened at the same time are loaded one at a time", async () => {
    const { client, fake } = await startOpen();
    const opened = Promise.all(["a", "b"].map((taskId) => client.open(taskId)));
    expect(fake.last.sent).toHaveLength(1);
    fake.last.receive({ type: "taskHistory", data: { taskId: "a", messages: [] } });
    expect(fake.last.sent.map(({ data }) => data["taskId"])).toEqual(["a", "b"]);
    fake.last.receive({ type: "taskHistory", data: { taskId: "b", messages: [] } });
    await opened;
  });

  test("a message of another client with files loads the task, and one of this client does not", async () => {
    const { client, fake } = await startOpen();
    const files = [{ mediaType: "image/png", name: "cat.png", data: "aaaa" }];
    const named = [{ mediaType: "image/png", name: "cat.png", data: "" }];
    const sent = client.send("See", { taskId: "new", files });
    const [own] = fake.last.sent;
    if (own !== undefined) fake.last.answer({ ...own, data: { ...own.data, files: named } });
    await sent;
    await settle();
    // The ID comes from the application, so the client loads what may be before the message.
    expect(fake.last.sent.map(({ type }) => type)).toEqual(["userSendMessage", "loadTask"]);
    expect(client.state.open.get("new")?.messages).toMatchObject([{ data: { files } }]);
    fake.last.receive({
      type: "taskHistory",
      data: { taskId: "new", messages: [{ ...own, data: { ...own?.data, updateTime: 1 } }] },
    });
    await settle();
    const ack = (data: object, updateTime: number) =>
      fake.last.receive({
        type: "ack",
        data: {
          taskId: "new",
          targetMessage: { type: "userSendMessage", data },
          status: "acked",
          updateTime,
        },
      });
    ack({ message: "No files" }, 2);
    expect(fake.last.sent).toHaveLength(2);
    ack({ message: "Files", files: named }, 3);
    expect(fake.last.sent.slice(2)).toEqual([{ type: "loadTask", data: { taskId: "new" } }]);
  });

  test("other requests fail if the connection is lost before the response", async () => {
    const { client, fake } = await startOpen();
    const failure = expect(client.interrupt(task)).rejects.toMatchObject({ code: "disconnected" });
    fake.last.fail();
    await failure;
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    expect(fake.last.sent).toEqual([]);
  });

  test("a rejected request fails with the server's reason, which is not part of the conversation", async () => {
    const { client, fake } = await startOpen();
    const sent = client.send("Hi", { taskId: task });
    const [message] = fake.last.sent;
    if (message !== undefined) fake.last.answer(message, "The task is already running.");
    await expect(sent).rejects.toMatchObject({ code: "rejected", message: "The task is already running." });
    expect(client.state.open.get(task)).toMatchObject({
      isLoading: false,
      messages: [{ type: "userSendMessage", delivery: "failed" }],
    });
  });

  test("a failed ack without a reason rejects the request too", async () => {
    const { client, fake } = await startOpen();
    const resumed = client.resume(task);
    const target = fake.last.sent[0];
    fake.last.receive({ type: "ack", data: { taskId: task, targetMessage: target, status: "failed" } });
    fake.last.receive({ type: "sessionHistories", data: { sessionHistories: [] } });
    await expect(resumed).rejects.toMatchObject({
      code: "rejected",
      message: "The server rejected the request.",
    });
  });

  test("a message with invalid data is rejected, although the server sends no ack", async () => {
    const { client, fake } = await startOpen();
    const listed = client.list();
    const renamed = client.rename(task, "");
    fake.last.receive({
      type: "error",
      data: { message: "Message 'renameTask' data validation failed: title" },
    });
    await expect(renamed).rejects.toMatchObject({ code: "rejected" });
    fake.last.receive({ type: "error", data: { message: "The cursor is invalid." } });
    await expect(listed).rejects.toMatchObject({ message: "The cursor is invalid." });
  });

  test("the largest message is rejected if the server closes the connection because of its size", async () => {
    const { client, fake } = await startOpen();
    const small = client.send("small");
    const large = expect(client.send("x".repeat(1_000))).rejects.toMatchObject({
      code: "rejected",
      message: /larger/,
    });
    fake.last.fail(1009);
    await large;
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    expect(fake.last.sent).toMatchObject([{ data: { message: "small" } }]);
    client.close();
    await expect(small).rejects.toMatchObject({ code: "closed" });
  });

  test("a request without a response times out, and a silent connection is replaced", async () => {
    const { client, fake } = await startOpen({ requestTimeout: 1_000 });
    const failure = expect(client.interrupt(task)).rejects.toMatchObject({
      code: "timeout",
      message: /limit: 1000 ms/,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await failure;
    expect(client.state.connection).toBe("reconnecting");
    await vi.advanceTimersByTimeAsync(1_000);
    fake.last.accept();
    const sent = client.send("Hi");
    await vi.advanceTimersByTimeAsync(3_000);
    fake.last.accept();
    const [again] = fake.last.sent;
    if (again !== undefined) fake.last.answer(again);
    await sent;
    expect(fake.sockets).toHaveLength(3);
  });

  test("an approval of a subtask is decided in the subtask", async () => {
    const { client, fake } = await startOpen();
    const decided = client.decide({ taskId: task, approvalId: "a", subtaskId: "child" }, "deny", "No");
    expect(fake.last.sent).toEqual([
      { type: "answerApproval", data: { taskId: "child", approvalId: "a", decision: "deny", reason: "No" } },
    ]);
    if (fake.last.sent[0] !== undefined) fake.last.answer(fake.last.sent[0]);
    await decided;
  });
});

describe("dead connections", () => {
  const PROBE = { type: "listTasks", data: { limit: 1, search: " " } };

  test("a connection on which nothing arrives is checked, and dropped if there is no response", async () => {
    const { client, fake } = await startOpen();
    await vi.advanceTimersByTimeAsync(40_000);
    fake.last.receiveRaw('{"type":"note","data":{}}');
    await vi.advanceTimersByTimeAsync(40_000);
    expect(fake.last.sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.last.sent).toEqual([PROBE]);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(client.state.connection).toBe("open");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.state.connection).toBe("reconnecting");
    expect(fake.sockets[0]?.closedWith).toBeDefined();
    client.close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(fake.sockets).toHaveLength(1);
  });

  test("a response keeps the connection, and changes neither the state nor a list of the application", async () => {
    const { client, fake } = await startOpen();
    const entry = (taskId: string, day = 2) => ({
      taskId,
      title: taskId,
      updatedAt: `2026-01-0${day}T00:00:00.000Z`,
    });
    fake.last.receive({
      type: "sessionHistories",
      data: { sessionHistories: [entry("a"), entry("b", 1)] },
    });
    const lists = vi.fn();
    client.on("taskList", lists);
    await vi.advanceTimersByTimeAsync(45_000);
    expect(fake.last.sent).toEqual([PROBE]);
    const before = client.state;
    const listed = client.list({ limit: 1 });
    fake.last.receive({ type: "taskList", data: { tasks: [], search: " " } });
    expect(client.state).toBe(before);
    expect(lists).not.toHaveBeenCalled();
    fake.last.receive({ type: "taskList", data: { tasks: [entry("a")], nextCursor: "x" } });
    expect(await listed).toEqual({ tasks: [entry("a")], nextCursor: "x" });
    expect(lists).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(44_000);
    expect(client.state.connection).toBe("open");
    expect(fake.last.sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.last.sent).toHaveLength(3);
    fake.last.receive({ type: "error", data: { message: "The disk is full." } });
    expect(client.state.tasks).toHaveLength(2);
  });

  test("a connection is checked when the page is back, unless the server owes a response", async () => {
    const events = new EventTarget();
    const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
    vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
    vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
    vi.stubGlobal("document", page);
    try {
      const { client, fake } = await startOpen({ reconnect: { minDelay: 20_000 } });
      const change = (visibilityState: string) => {
        page.visibilityState = visibilityState;
        page.dispatchEvent(new Event("visibilitychange"));
      };
      change("hidden");
      expect(fake.last.sent).toEqual([]);
      change("visible");
      expect(fake.last.sent).toEqual([PROBE]);
      events.dispatchEvent(new Event("online"));
      expect(fake.last.sent).toHaveLength(1);
      fake.last.receive({ type: "taskList", data: { tasks: [], search: " " } });
      events.dispatchEvent(new Event("online"));
      expect(fake.last.sent).toEqual([PROBE, PROBE]);
      await vi.advanceTimersByTimeAsync(8_000);
      expect(client.state.connection).toBe("reconnecting");
      change("visible");
      await settle();
      expect(fake.sockets).toHaveLength(2);
      fake.last.accept();
      client.close();
      change("visible");
      events.dispatchEvent(new Event("online"));
      expect(fake.last.sent).toEqual([]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("listeners", () => {
  test("exceptions in listeners and handlers are reported, and do not break the client", async () => {
    const { client, fake, errors } = await startOpen();
    client.subscribe(() => {
      throw new Error("listener");
    });
    client.on("alert", () => {
      throw new Error("handler");
    });
    const seen = vi.fn();
    client.on("alert", seen);
    fake.last.receive({ type: "alert", data: { message: "x", severity: "info", updateTime: 1 } });
    fake.last.receive({ type: "connected", data: { message: "", userId: "u" } });
    expect(seen).toHaveBeenCalledWith({ message: "x", severity: "info", updateTime: 1 });
    expect(errors).toEqual([new Error("handler"), new Error("listener")]);
  });

  test("invalid frames are reported without their content", async () => {
    const { client, fake, errors } = await startOpen();
    const before = client.state;
    for (const content of ["secret", '{"type":"message","data":{"message":7}}', new Uint8Array(1)])
      fake.last.receiveRaw(content);
    expect(errors.map(String)).toEqual([
      "Error: The server sent an invalid frame: it is not JSON.",
      "Error: The server sent an invalid frame: its data is not valid (message).",
      "Error: The server sent an invalid frame: it is not text.",
    ]);
    expect(client.state).toBe(before);
  });

  test("registered messages are sent and received, and removed listeners are not called", async () => {
    const { client, fake } = await startOpen();
    const notes: string[] = [];
    const off = client.on("note", ({ text }) => notes.push(text));
    fake.last.receiveRaw('{"type":"note","data":{"text":"one"}}');
    off();
    fake.last.receiveRaw('{"type":"note","data":{"text":"two"}}');
    expect(notes).toEqual(["one"]);
    expect(client.post("note", { text: "hello" })).toBe(true);
    expect(fake.last.sent).toEqual([{ type: "note", data: { text: "hello" } }]);
    fake.last.fail();
    expect(client.post("note", { text: "lost" })).toBe(false);
  });
});
