import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { join as joinPath } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conversations } from "../../src/conversation/conversations.js";
import { resolveConversationOptions } from "../../src/conversation/options.js";
import { defineMessage } from "../../src/messages/define-message.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import type { ModelPiece, ModelPort } from "../../src/models/model-port.js";
import { startServer, temporaryFolder } from "../support/socket/clients.js";
import { hangAfter, join, load, outline, over, say, startAgent } from "../support/conversation/agents.js";

/** Creates a tool without parameters. */
function tool(name: string, invoke: ToolDefinition["invoke"]): ToolDefinition {
  return defineTool({ name, description: "d", whenToUse: "w", params: [], useExamples: [], invoke });
}

const give = "<assignTasks><tasklist><task>one</task></tasklist></assignTasks>";

describe("misbehaving models", () => {
  test.each([
    ["undefined", undefined],
    ["a number", 7],
    ["null", null],
    ["an empty object", {}],
    ["a call whose name is a number", { call: { index: 0, name: 5 } }],
    ["a call whose id is a number", { call: { index: 0, id: 7, name: "x" } }],
  ])("a model that sends %s fails, and clients see no details", async (_kind, piece) => {
    const agent = await startAgent({ toolCalls: "native", answers: [[piece as ModelPiece]] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual([
      "error: The model failed because of an internal error.",
    ]);
  });

  test("a model that throws before its first piece fails", async () => {
    const { url } = await startServer((builder) =>
      builder.model(() => {
        throw new Error("secret-canary");
      }),
    );
    const client = await join(url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual([
      "error: The model failed because of an internal error.",
    ]);
  });

  test("native calls from a model that is configured for XML fail, and the reason is logged", async () => {
    const agent = await startAgent({ answers: [[{ call: { index: 0, name: "x" } }]] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect((await over(client)).reason).toBe("error");
    expect(agent.lines.join()).toContain('`toolCalls` is set to "xml". Set `toolCalls` to "native".');
  });

  test("a model that ignores the abort signal does not delay the interrupt", async () => {
    const model: ModelPort = () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: "<noop></noop>" }),
        return: () => {
          throw new Error("no");
        },
      }),
    });
    const noop = tool("noop", async () => ({ message: "ok", toolResult: null }));
    const { url } = await startServer((builder) => builder.model(model, { maxSteps: 1 }).registerTool(noop));
    const client = await join(url);
    await say(client, "Go");
    expect((await over(client)).reason).toBe("stepLimit");
  });

  test("a very fast model does not block other clients, and its client keeps up", async () => {
    const agent = await startAgent({
      answers: [
        async function* () {
          for (let count = 0; count < 50_000; count++) yield "x";
        },
        ["hi"],
      ],
    });
    const [client, other] = [await join(agent.url), await join(agent.url)];
    const taskId = await say(client, "Go");
    await say(other, "And me?");
    expect((await over(other)).reason).toBe("answered");
    // The fast model is still running, so the other client did not have to wait.
    expect((await load(other, taskId)).status).toBe("streaming");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    expect(sent.length).toBeLessThan(5_000);
  });

  test("a model that sends empty pieces forever is stopped", { timeout: 180_000 }, async () => {
    const agent = await startAgent({
      answers: [
        async function* () {
          for (;;) yield "";
        },
      ],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual([
      "error: The model's response is too long (limit: 1000000 characters).",
    ]);
  });

  test.each([
    ["an empty object", "{}"],
    ["a value that is not text", '{"result":{"a":1}}'],
    ["deeply nested data", `{"result":${"[".repeat(200)}${"]".repeat(200)}}`],
  ])("a model that completes a task with %s receives an error and continues", async (_kind, text) => {
    const call = { index: 0, id: "a", name: "completionResult", arguments: text };
    const agent = await startAgent({ toolCalls: "native", answers: [[{ call }], ["Well."]] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual(["tool: completionResult (failed)", "message: Well."]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", callId: "a" });
  });

  test("a response that is cut off in the middle of a result leaves no partial result", async () => {
    const agent = await startAgent({ answers: [["<completionResult><result>All d", "one, I gue"], ["Ok."]] });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { sent } = await over(client);
    expect(outline(sent)).toEqual([
      "completionResult:  (discarded)",
      "tool: completionResult (failed)",
      "message: Ok.",
    ]);
    expect((await load(client, taskId)).messages.some(({ data }) => data["partial"] === true)).toBe(false);
  });

  test("two calls with the same ID both receive a result", async () => {
    const call = (index: number) => ({ call: { index, id: "same", name: "noop", arguments: "{}" } });
    const noop = tool("noop", async () => ({ message: "ok", toolResult: null }));
    const agent = await startAgent({
      toolCalls: "native",
      tools: [noop],
      answers: [[call(0), call(1)], ["Ok."]],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    await over(client);
    const ids = agent.asked[1]?.messages.flatMap((message) =>
      message.role === "tool" ? [message.callId] : [],
    );
    expect(ids).toEqual(["same", "call_1"]);
  });
});

describe("misbehaving tools", () => {
  test("a result is stored as it was when the tool returned it", async () => {
    const state: unknown[] = [];
    const grow = tool("grow", async () => {
      state.push(state.length);
      return { message: "ok", toolResult: state };
    });
    const agent = await startAgent({
      answers: [["<grow></grow>"], ["<grow></grow>"], ["Done."]],
      tools: [grow],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await over(client);
    state.push(10n);
    const cards = (await load(client, taskId)).messages.filter(({ type }) => type === "tool");
    expect(cards.map(({ data }) => data["toolResult"])).toEqual([[0], [0, 1]]);
  });

  test("very large results are truncated, and no client is disconnected", async () => {
    const loud = tool("loud", async ({ postMessage }) => {
      for (let count = 0; count < 100_000; count++) postMessage?.("x".repeat(1_000));
      return { message: "y".repeat(5_000_000), toolResult: "z".repeat(300_000) };
    });
    const agent = await startAgent({ answers: [["<loud></loud>"], ["Ok."]], tools: [loud] });
    const client = await join(agent.url);
    await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    const card = sent.findLast(({ type }) => type === "tool")?.data;
    expect(String(card?.["message"])).toHaveLength(100_000 + "\n[4900000 characters omitted]".length);
    expect(card?.["toolResult"]).toBe("[result omitted: 300002 characters]");
    expect(sent.filter(({ data }) => data["status"] === "running").length).toBeLessThan(10);
  });

  test("a tool cannot forge built-in messages, and registered messages are validated", async () => {
    const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });
    const forger = tool("forger", async ({ postMessage }) => {
      postMessage?.({ type: "taskHistory", data: { taskId: "other", messages: [] } });
      postMessage?.({ type: "note", data: { text: 7 } });
      postMessage?.({ type: "note", data: { text: "hello" } });
      postMessage?.({ type: "alert", data: { message: "look", severity: "info", updateTime: 1 } });
      const circle: Record<string, unknown> = {};
      circle["self"] = circle;
      postMessage?.(circle);
      return { message: "ok", toolResult: null };
    });
    const model: ModelPort = async function* ({ messages }) {
      yield messages.at(-1)?.role === "tool" ? "Ok." : "<forger></forger>";
    };
    const { url } = await startServer((builder) =>
      builder.model(model).registerTool(forger).registerMessage(note),
    );
    const client = await join(url);
    await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    expect(sent.some(({ type }) => type === "taskHistory")).toBe(false);
    expect(sent.filter(({ type }) => type === "note").map(({ data }) => data)).toEqual([{ text: "hello" }]);
    expect(sent.filter(({ type }) => type === "alert")).toHaveLength(1);
  });

  test("a tool with a synchronous function works", async () => {
    const plain = tool("plain", (() => ({
      message: "ok",
      toolResult: 1,
    })) as unknown as ToolDefinition["invoke"]);
    const agent = await startAgent({ answers: [["<plain></plain>"], ["Ok."]], tools: [plain] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual(["tool: plain (done)", "message: Ok."]);
  });
});

describe("a full disk", () => {
  test("in the middle of a response ends the run and leaves nothing streaming", async () => {
    const agent = await startAgent({
      answers: [["y".repeat(5_000)], ["z"]],
      options: { maxTaskBytes: 3_000 },
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("error");
    expect(outline(sent)).toEqual([
      "message:  (discarded)",
      "error: The task is too large (limit: 3000 bytes). Start a new task.",
    ]);
    await say(client, "Again", taskId);
    await over(client);
    const { status, messages } = await load(client, taskId);
    expect(status).toBe("idle");
    expect(messages.some(({ data }) => data["partial"] === true)).toBe(false);
  });

  test("does not keep a task running if even the error cannot be stored", async () => {
    const agent = await startAgent({ answers: [["y".repeat(5_000)]], options: { maxTaskBytes: 800 } });
    const client = await join(agent.url);
    const taskId = await say(client, "x".repeat(150));
    expect((await over(client)).reason).toBe("error");
    expect((await load(client, taskId)).status).toBe("error");
  });

  test("a first message that cannot be stored leaves no empty task", async () => {
    const agent = await startAgent({ options: { maxTaskBytes: 300, maxTasks: 1 } });
    const client = await join(agent.url);
    // Fits by the estimate, but not with the header of the log.
    const data = { message: "x".repeat(110), taskId: "t" };
    for (let count = 0; count < 3; count++) {
      expect(await client.complaintAbout({ type: "userSendMessage", data })).toBe(
        "The message is too large (limit: 300 bytes). Send a shorter one.",
      );
    }
    expect(existsSync(joinPath(agent.storage, "t"))).toBe(false);
    expect(readdirSync(agent.storage)).toEqual([]);
  });

  test("a file that another program changed is read again", async () => {
    const agent = await startAgent({ answers: [["One."], ["Two."]] });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await over(client);
    appendFileSync(joinPath(agent.storage, taskId, "log.jsonl"), '{"status":"idle"}\n');
    expect(await client.complaintAbout({ type: "userSendMessage", data: { message: "More", taskId } })).toBe(
      "Another program changed this task. Load the task again.",
    );
    await client.take("ack");
    await load(client, taskId);
    await say(client, "More", taskId);
    expect((await over(client)).reason).toBe("answered");
  });
});

describe("start and stop", () => {
  test("parallel starts do not exceed the running task limit", async () => {
    const agent = await startAgent({
      answers: [hangAfter("1"), hangAfter("2"), hangAfter("3"), hangAfter("4")],
      options: { maxRunning: 1 },
    });
    const client = await join(agent.url);
    for (let count = 0; count < 4; count++) client.send({ type: "userSendMessage", data: { message: "m" } });
    const statuses: unknown[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await client.take("ack")).data["status"]);
    expect(statuses.filter((status) => status === "acked")).toHaveLength(1);
    expect(agent.asked).toHaveLength(1);
  });

  test("nothing starts after the server has stopped", async () => {
    let hasStopped = false;
    let late = 0;
    const model: ModelPort = (conversation, signal) => {
      if (hasStopped) late++;
      return hangAfter("hi")(conversation, signal);
    };
    for (let delay = 0; delay < 4; delay++) {
      hasStopped = false;
      const { url, server } = await startServer((builder) => builder.model(model));
      const client = await join(url);
      client.send({ type: "userSendMessage", data: { message: "m" } });
      await wait(delay);
      client.socket.terminate();
      await wait(1);
      await server.stop();
      hasStopped = true;
      await wait(30);
    }
    expect(late).toBe(0);
  });

  test("a hanging handler does not keep a task running when the server stops", async () => {
    let wasStopped = false;
    const model: ModelPort = (conversation, signal) => {
      signal.addEventListener("abort", () => (wasStopped = true));
      return hangAfter("hi")(conversation, signal);
    };
    const hang = defineMessage({
      type: "hang",
      dataSchema: z.object({}),
      handler: () => new Promise<void>(() => undefined),
    });
    const { url, server } = await startServer((builder) => builder.model(model).registerMessage(hang), {
      stopTimeout: 100,
    });
    const client = await join(url);
    await say(client, "Go");
    client.send({ type: "hang", data: {} });
    await client.take("message");
    await server.stop();
    expect(wasStopped).toBe(true);
  });

  test("a client that disconnects before its response does not keep a task running", async () => {
    let wasStopped = false;
    const model: ModelPort = (conversation, signal) => {
      signal.addEventListener("abort", () => (wasStopped = true));
      return hangAfter("hi")(conversation, signal);
    };
    const conversations = new Conversations({
      model,
      tools: [],
      storagePath: temporaryFolder(),
      settings: resolveConversationOptions({ grace: 50 }),
      toPosted: () => undefined,
    });
    const [first, second] = [{ sendBytes: () => true }, { sendBytes: () => false }];
    await conversations.open(first);
    await conversations.handle({ type: "userSendMessage", data: { message: "x", taskId: "t" } }, first);
    conversations.close(first);
    await conversations.open(second);
    const loading = conversations.handle({ type: "loadTask", data: { taskId: "t" } }, second);
    conversations.close(second);
    await loading;
    await expect.poll(() => wasStopped).toBe(true);
  });

  test("a subtask continues when a client that watched it leaves", async () => {
    const slow: ModelPort = async function* (_conversation, signal) {
      yield "working ";
      await wait(300, undefined, { signal });
      yield "done";
    };
    const agent = await startAgent({ answers: [[give], slow, ["Whole."]], options: { grace: 20 } });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const part = String((await client.take("assignTaskUpdated")).data["taskId"]);
    await expect.poll(() => agent.asked.length).toBe(2);
    const visitor = await join(agent.url);
    await load(visitor, part);
    visitor.socket.close();
    const { sent } = await over(client);
    expect(sent.find(({ type }) => type === "assignTaskUpdated")?.data["taskStatus"]).toBe("completed");
    // The histories in memory and on disk are equal.
    const inMemory = await load(client, taskId);
    await agent.server.stop();
    const again = await startAgent({ storage: agent.storage });
    expect(await load(await join(again.url), taskId)).toEqual(inMemory);
  });

  test("a subtask that is interrupted alone is reported as interrupted", async () => {
    const agent = await startAgent({ answers: [[give], hangAfter("w"), ["Whole."]] });
    const client = await join(agent.url);
    await say(client, "Go");
    const part = String((await client.take("assignTaskUpdated")).data["taskId"]);
    await expect.poll(() => agent.asked.length).toBe(2);
    client.send({ type: "interrupt", data: { taskId: part } });
    const { sent } = await over(client);
    expect(sent.find(({ type }) => type === "assignTaskUpdated")?.data["taskStatus"]).toBe("interrupted");
  });

  test("a client that loads many tasks still receives messages about its running task", async () => {
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const agent = await startAgent({
      answers: [
        async function* () {
          await gate;
          yield "At last.";
        },
        ...Array.from({ length: 70 }, () => ["ok"]),
      ],
    });
    const [client, other] = [await join(agent.url), await join(agent.url)];
    await say(client, "Go");
    for (let count = 0; count < 70; count++) {
      const taskId = await say(other, `${count}`);
      await other.take("conversationOver");
      await load(client, taskId);
    }
    goOn();
    expect(outline((await over(client)).sent)).toContain("message: At last.");
  });
});

test("clients that join at different moments end up with the same history", async () => {
  const noop = tool("noop", async ({ postMessage }) => {
    postMessage?.("half-way");
    await wait(2);
    return { message: "ok", toolResult: null };
  });
  const words = "Some words that come one by one and take their time".split(" ").map((word) => `${word} `);
  const slowly = (pieces: readonly ModelPiece[]): ModelPort =>
    async function* () {
      for (const piece of pieces) {
        yield piece;
        await wait(1);
      }
    };
  const agent = await startAgent({
    tools: [noop],
    answers: [
      slowly([{ think: "hm" }, ...words, "\n<noop>", "</noop>"]),
      slowly(["<completionResult><result>", ...words, "</result></completionResult>"]),
    ],
  });
  const first = await join(agent.url);
  const taskId = await say(first, "Go");
  const joiners = await Promise.all(
    Array.from({ length: 25 }, async (_, index) => {
      const client = await join(agent.url);
      await wait(index * 2);
      return { client, history: await load(client, taskId) };
    }),
  );
  await first.take("conversationOver");
  const { messages: expected } = await load(first, taskId);
  for (const { client, history } of joiners) {
    if (history.status !== "completed") await client.take("conversationOver");
    // A client that loads the task exactly when it ends may still receive the final message, but only once.
    const end = client.received.findIndex(({ type }) => type === "conversationOver");
    if (history.status === "completed" && end !== -1) client.received.splice(end, 1);
    expect(replay(history.messages, client.received)).toEqual(expected);
  }
});

type Shown = Awaited<ReturnType<typeof load>>["messages"];

/** Applies frames to a history in the same way as a client. */
function replay(history: Shown, frames: Shown): Shown {
  const shown = new Map(history.map((message) => [keyOf(message), message]));
  for (const frame of frames) {
    const { type, data } = frame;
    if (["ack", "sessionHistories", "usage"].includes(type)) continue;
    const before = shown.get(keyOf(frame));
    if (data["status"] === "discarded") shown.delete(keyOf(frame));
    else if (data["partial"] === true && type !== "tool") {
      const text = [before?.data["message"], data["message"]].join("");
      shown.set(keyOf(frame), { type, data: { ...data, message: text } });
    } else shown.set(keyOf(frame), frame);
  }
  return [...shown.values()];
}

function keyOf({ type, data }: Shown[number]): string {
  return `${type} ${String(data["updateTime"])}`;
}
