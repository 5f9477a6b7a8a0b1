import { describe, expect, test } from "vitest";
import { z } from "zod";
import { USER_MESSAGES, SERVER_MESSAGES } from "../../src/messages/built-in-messages.js";
import { defineMessage } from "../../src/messages/define-message.js";
import { connectClient, startServer } from "./clients.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NO_MODEL = "No model is configured; see AmigoServerBuilder.model";

const greet = defineMessage({
  type: "greet",
  dataSchema: z.object({ name: z.string().min(1), times: z.number().int().default(1) }),
  handler: ({ name, times }, reply) =>
    reply({ type: "greeting", data: { text: `hi ${name}`.repeat(times) } }),
});
const greeting = defineMessage({ type: "greeting", dataSchema: z.object({ text: z.string() }) });

describe("the built-in messages", () => {
  test("there are four of users and fourteen of servers", () => {
    const typesOf = (list: readonly { shape: { type: { value: string } } }[]) =>
      list.map(({ shape }) => shape.type.value);
    expect(typesOf(USER_MESSAGES)).toEqual(["userSendMessage", "interrupt", "loadTask", "resume"]);
    expect(typesOf(SERVER_MESSAGES)).toEqual([
      "connected",
      "sessionHistories",
      "ack",
      "message",
      "think",
      "tool",
      "askFollowupQuestion",
      "completionResult",
      "assignTaskUpdated",
      "taskHistory",
      "interrupt",
      "conversationOver",
      "error",
      "alert",
    ]);
  });

  test("A44: a client that connects is welcomed, and told of the conversations so far", async () => {
    const { url, server } = await startServer();
    const client = await connectClient(url);
    const { data } = await client.take("connected");
    expect(data).toEqual({ message: "Connected", updateTime: expect.any(Number) });
    expect((await client.take("sessionHistories")).data).toEqual({ sessionHistories: [] });
    expect(server.connectionCount).toBe(1);
  });

  test("without a model a user's message fails, and it is said why", async () => {
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

  test.each([{}, { taskId: "" }])("a message of no task gets a task's name: %j", async (task) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    client.send({ type: "userSendMessage", data: { message: "hello", ...task } });
    expect((await client.take("ack")).data["taskId"]).toMatch(UUID);
  });

  test.each(["interrupt", "loadTask", "resume"])("%s of a task that is not there fails", async (type) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type, data: { taskId: "t1" } })).toBe("There is no task 't1'");
    expect((await client.take("ack")).data["status"]).toBe("failed");
  });

  test.each(["../etc", "a/b", "a\\b", ".", "..", "", "a\0", "x".repeat(129), "-a"])(
    "a task's name is no path: %j is refused",
    async (taskId) => {
      const { url } = await startServer();
      const client = await connectClient(url);
      expect(await client.complaintAbout({ type: "loadTask", data: { taskId } })).toBe(
        "Message 'loadTask' data validation failed: taskId: Must be 1 to 128 letters, digits, _ or -",
      );
    },
  );
});

describe("registered messages", () => {
  test("A11, A23: the handler gets checked data, defaults filled in, and a way to reply", async () => {
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
  ])("A36: data %j is refused, and the connection lives", async (data, problem) => {
    const { url } = await startServer((builder) => builder.registerMessage(greet).registerMessage(greeting));
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type: "greet", data })).toBe(
      `Message 'greet' data validation failed: ${problem}`,
    );
    client.send({ type: "greet", data: { name: "Ada" } });
    await client.take("greeting");
  });

  test("a message without a handler is checked and let pass", async () => {
    const { url } = await startServer((builder) => builder.registerMessage(greeting));
    const client = await connectClient(url);
    client.send({ type: "greeting", data: { text: "hi" } });
    expect(await client.complaintAbout({ type: "greeting", data: {} })).toContain("Message 'greeting'");
  });

  test("a handler that fails costs an error without its text, and a line in the log", async () => {
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
      expect(complaint).toBe("The message could not be handled");
    }
    expect(lines.filter((line) => line.includes("secret of the house"))).toHaveLength(2);
  });

  test("a logger that throws costs nothing", async () => {
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
    expect(await client.complaintAbout({ type: "bomb", data: {} })).toBe("The message could not be handled");
    expect(await client.complaintAbout({ type: "bomb", data: {} })).toBe("The message could not be handled");
  });

  test.each([
    ["of an unknown type", { type: "nobody", data: {} }],
    ["that is no JSON", { type: "greeting", data: { text: 1n } }],
  ])("a reply %s is the handler's failure", async (_name, answer) => {
    const wrong = defineMessage({
      type: "wrong",
      dataSchema: z.object({}),
      handler: (_data, reply) => reply(answer),
    });
    const { url } = await startServer((builder) => builder.registerMessage(wrong).registerMessage(greeting));
    const client = await connectClient(url);
    expect(await client.complaintAbout({ type: "wrong", data: {} })).toBe("The message could not be handled");
  });

  test("messages are begun in order, and a slow one does not hold up the next", async () => {
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

describe("frames that are none", () => {
  test.each([
    ["no JSON", "hello", 'A frame must be a JSON object: { "type": …, "data": … }'],
    ["empty", "", 'A frame must be a JSON object: { "type": …, "data": … }'],
    ["a list", "[]", 'A frame must be a JSON object: { "type": …, "data": … }'],
    ["null", "null", 'A frame must be a JSON object: { "type": …, "data": … }'],
    ["no type", "{}", 'A frame needs a "type", which is a string'],
    ["a type that is no text", '{"type":7}', 'A frame needs a "type", which is a string'],
    ["an unknown type", '{"type":"nope","data":{}}', "Unknown message type 'nope'"],
    ["a type of the server", '{"type":"ack","data":{}}', "Unknown message type 'ack'"],
    ["a type that every object has", '{"type":"__proto__"}', "Unknown message type '__proto__'"],
    ["a type with control characters", '{"type":"a\\u0000\\u001b[2J"}', "Unknown message type 'a[2J'"],
    ["a long type", `{"type":"${"x".repeat(9_000)}"}`, `Unknown message type '${"x".repeat(64)}'`],
    ["a deep frame", `{"type":${"[".repeat(5_000)}`, "A frame must not nest deeper than 64 levels"],
    ["a deep object", '{"a":'.repeat(5_000), "A frame must not nest deeper than 64 levels"],
  ])("%s is told so, and the connection lives", async (_name, frame, complaint) => {
    const { url } = await startServer();
    const client = await connectClient(url);
    expect(await client.complaintAbout(frame)).toBe(complaint);
    expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBe(
      "There is no task 't'",
    );
  });

  test("a binary frame is told so, and the connection lives", async () => {
    const { url } = await startServer();
    const client = await connectClient(url);
    client.socket.send(Buffer.from('{"type":"resume","data":{"taskId":"t"}}'), { binary: true });
    expect((await client.take("error")).data["message"]).toBe("A frame must be text, not binary");
    expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBe(
      "There is no task 't'",
    );
  });

  test("a key that reaches for the prototype is gone before a handler sees it", async () => {
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
