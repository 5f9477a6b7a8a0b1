import { describe, expect, test } from "vitest";
import { z } from "zod";
import { USER_MESSAGES, SERVER_MESSAGES } from "../../src/messages/built-in-messages.js";
import { TASK_ID_RULE } from "../../src/storage/task-id.js";
import { defineMessage } from "../../src/messages/define-message.js";
import { connectClient, startServer } from "../support/socket/clients.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NO_MODEL = "No model is configured. Set one with `AgentServerBuilder.model`.";

const greet = defineMessage({
  type: "greet",
  dataSchema: z.object({ name: z.string().min(1), times: z.number().int().default(1) }),
  handler: ({ name, times }, reply) =>
    reply({ type: "greeting", data: { text: `hi ${name}`.repeat(times) } }),
});
const greeting = defineMessage({ type: "greeting", dataSchema: z.object({ text: z.string() }) });

describe("the built-in messages", () => {
  test("consist of 9 user messages and 21 server messages", () => {
    const typesOf = (list: readonly { shape: { type: { value: string } } }[]) =>
      list.map(({ shape }) => shape.type.value);
    expect(typesOf(USER_MESSAGES)).toEqual([
      "authenticate",
      "userSendMessage",
      "answerApproval",
      "interrupt",
      "loadTask",
      "resume",
      "listTasks",
      "renameTask",
      "deleteTask",
    ]);
    expect(typesOf(SERVER_MESSAGES)).toEqual([
      "connected",
      "sessionHistories",
      "ack",
      "message",
      "think",
      "tool",
      "file",
      "approval",
      "usage",
      "compaction",
      "askFollowupQuestion",
      "completionResult",
      "assignTaskUpdated",
      "taskHistory",
      "taskList",
      "taskRenamed",
      "taskRemoved",
      "interrupt",
      "conversationOver",
      "error",
      "alert",
    ]);
  });

  test("A44: a new client receives the greeting and the list of conversations", async () => {
    const { url, server } = await startServer();
    const client = await connectClient(url);
    const { data } = await client.take("connected");
    expect(data).toEqual({ message: "Connected", updateTime: expect.any(Number) });
    expect((await client.take("sessionHistories")).data).toEqual({ sessionHistories: [] });
    expect(server.connectionCount).toBe(1);
  });

  test("without a model, a user message fails with the reason", async () => {
    const { url } = await startServer();
    const client = await connectClient(url);
    const message = { type: "userSendMessage", data: { message: "hello", taskId: "task-1" } };
    client.send(message);
    expect((await client.take("ack")).data).toEqual({
      taskId: "task-1",
      targetMessage: message,
      status: "failed",
      updateTime: expect.any(Number),
    });
    expect((await client.take("error")).data["message"]).toBe(NO_MODEL);
  });

  test.each([{}, { taskId: "" }])("a message without a task ID receives one: %j", async (task) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    client.send({ type: "userSendMessage", data: { message: "hello", ...task } });
    expect((await client.take("ack")).data["taskId"]).toMatch(UUID);
  });

  test.each(["interrupt", "loadTask", "resume"])("%s fails for a missing task", async (type) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type, data: { taskId: "t1" } })).toBe('Task "t1" does not exist.');
    expect((await client.take("ack")).data["status"]).toBe("failed");
  });

  test.each(["../etc", "a/b", "a\\b", ".", "..", "", "a\0", "x".repeat(129), "-a"])(
    "task ID %j is rejected",
    async (taskId) => {
      const { url } = await startServer();
      const client = await connectClient(url);
      expect(await client.complaintAbout({ type: "loadTask", data: { taskId } })).toBe(
        `Message 'loadTask' data validation failed: taskId: Must be ${TASK_ID_RULE}`,
      );
    },
  );
});

describe("registered messages", () => {
  test("A11, A23: the handler receives validated data with defaults, and can reply", async () => {
    const { url } = await startServer((builder) => builder.registerMessage(greet).registerMessage(greeting));
    const client = await connectClient(url);
    client.send({ type: "greet", data: { name: "Ada", stray: true } });
    expect(await client.take("greeting")).toEqual({ type: "greeting", data: { text: "hi Ada" } });
  });

  test.each([
    [{ name: "" }, "name: Too small: expected string to have >=1 characters"],
    [{ name: 7 }, "name: Invalid input: expected string, received number"],
    [undefined, "Invalid input: expected object, received undefined"],
    [[], "Invalid input: expected object, received array"],
  ])("A36: data %j is rejected, and the connection stays open", async (data, problem) => {
    const { url } = await startServer((builder) => builder.registerMessage(greet).registerMessage(greeting));
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type: "greet", data })).toBe(
      `Message 'greet' data validation failed: ${problem}`,
    );
    client.send({ type: "greet", data: { name: "Ada" } });
    await client.take("greeting");
  });

  test("a message without a handler is validated and ignored", async () => {
    const { url } = await startServer((builder) => builder.registerMessage(greeting));
    const client = await connectClient(url);
    client.send({ type: "greeting", data: { text: "hi" } });
    expect(await client.complaintAbout({ type: "greeting", data: {} })).toContain("Message 'greeting'");
  });

  test("a failing handler causes an error without its text, and a log line", async () => {
    const bomb = defineMessage({
      type: "bomb",
      dataSchema: z.object({ late: z.boolean() }),
      handler: ({ late }) => {
        if (late) return Promise.reject(new Error("secret of the house"));
        throw new Error("secret of the house");
      },
    });
    const { url, lines } = await startServer((builder) => builder.registerMessage(bomb));
    const client = await connectClient(url);
    for (const late of [false, true]) {
      const complaint = await client.complaintAbout({ type: "bomb", data: { late } });
      expect(complaint).toBe("Could not handle the message because of an internal error.");
    }
    expect(lines.filter((line) => line.includes("secret of the house"))).toHaveLength(2);
  });

  test("a logger that throws does no harm", async () => {
    const bomb = defineMessage({
      type: "bomb",
      dataSchema: z.object({}),
      handler: () => Promise.reject(new Error("no")),
    });
    const refuse = () => {
      throw new Error("the disk is full");
    };
    const logger = { debug: refuse, info: refuse, warn: refuse, error: refuse };
    const { url } = await startServer((builder) => builder.registerMessage(bomb), { logger });
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type: "bomb", data: {} })).toBe(
      "Could not handle the message because of an internal error.",
    );
    expect(await client.complaintAbout({ type: "bomb", data: {} })).toBe(
      "Could not handle the message because of an internal error.",
    );
  });

  test.each([
    ["of an unknown type", { type: "nobody", data: {} }],
    ["that cannot be serialized", { type: "greeting", data: { text: 1n } }],
  ])("a reply %s counts as a failure of the handler", async (_name, answer) => {
    const wrong = defineMessage({
      type: "wrong",
      dataSchema: z.object({}),
      handler: (_data, reply) => reply(answer),
    });
    const { url } = await startServer((builder) => builder.registerMessage(wrong).registerMessage(greeting));
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type: "wrong", data: {} })).toBe(
      "Could not handle the message because of an internal error.",
    );
  });

  test("handlers start in order, and a slow one does not delay the next", async () => {
    const order: string[] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = defineMessage({
      type: "slow",
      // Asynchronous, and the first takes longest.
      dataSchema: z.object({
        n: z.number().refine(async (n) => {
          await new Promise((wake) => setTimeout(wake, 30 - n * 10));
          return true;
        }),
      }),
      handler: async ({ n }, reply) => {
        order.push(`begin ${n}`);
        if (n === 0) await held;
        order.push(`end ${n}`);
        reply({ type: "greeting", data: { text: String(n) } });
      },
    });
    const { url } = await startServer((builder) => builder.registerMessage(slow).registerMessage(greeting));
    const client = await connectClient(url);
    for (const n of [0, 1, 2]) client.send({ type: "slow", data: { n } });
    await client.take("greeting");
    await client.take("greeting");
    release();
    await client.take("greeting");
    expect(order).toEqual(["begin 0", "begin 1", "end 1", "begin 2", "end 2", "end 0"]);
  });
});

describe("invalid frames", () => {
  const FIX = " Send a built-in user message or a registered message.";

  test.each([
    ["not JSON", "hello", 'The frame must be a JSON object: { "type": …, "data": … }.'],
    ["empty", "", 'The frame must be a JSON object: { "type": …, "data": … }.'],
    ["an array", "[]", 'The frame must be a JSON object: { "type": …, "data": … }.'],
    ["null", "null", 'The frame must be a JSON object: { "type": …, "data": … }.'],
    ["no type", "{}", 'The frame\'s "type" must be a string; got undefined.'],
    ["a type that is not a string", '{"type":7}', 'The frame\'s "type" must be a string; got 7.'],
    ["an unknown type", '{"type":"nope","data":{}}', `Unknown message type 'nope'.${FIX}`],
    ["a type that only the server sends", '{"type":"ack","data":{}}', `Unknown message type 'ack'.${FIX}`],
    ["the name of an inherited property", '{"type":"__proto__"}', `Unknown message type '__proto__'.${FIX}`],
    ["a type with control characters", '{"type":"a\\u0000\\u001b[2J"}', `Unknown message type 'a[2J'.${FIX}`],
    ["a long type", `{"type":"${"x".repeat(9_000)}"}`, `Unknown message type '${"x".repeat(64)}'.${FIX}`],
    ["a deep frame", `{"type":${"[".repeat(5_000)}`, "The frame is nested deeper than 64 levels."],
    ["a deep object", '{"a":'.repeat(5_000), "The frame is nested deeper than 64 levels."],
  ])("%s: receives an error, and the connection stays open", async (_name, frame, complaint) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    expect(await client.complaintAbout(frame)).toBe(complaint);
    expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBe(
      'Task "t" does not exist.',
    );
  });

  test("a binary frame receives an error, and the connection stays open", async () => {
    const { url } = await startServer();
    const client = await connectClient(url);
    client.socket.send(Buffer.from('{"type":"resume","data":{"taskId":"t"}}'), { binary: true });
    expect((await client.take("error")).data["message"]).toBe("Frames must be text; got a binary frame.");
    expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBe(
      'Task "t" does not exist.',
    );
  });

  test("a key that could pollute a prototype is removed before the handler runs", async () => {
    const seen: unknown[] = [];
    const loose = defineMessage({
      type: "loose",
      dataSchema: z.looseObject({}),
      handler: (data, reply) => {
        seen.push(data);
        reply({ type: "greeting", data: { text: "ok" } });
      },
    });
    const { url } = await startServer((builder) => builder.registerMessage(loose).registerMessage(greeting));
    const client = await connectClient(url);
    client.send('{"type":"loose","data":{"__proto__":{"admin":true},"a":1}}');
    await client.take("greeting");
    expect(seen).toEqual([{ a: 1 }]);
    expect(Object.hasOwn(seen[0] as object, "__proto__")).toBe(false);
  });
});
