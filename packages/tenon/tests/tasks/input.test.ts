import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, form, url } from "../../src/index.js";
import {
  accept,
  connect,
  DECLARED,
  errorOf,
  taskServer,
  textOf,
  turn,
} from "../support/tasks/task-client.js";

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string().min(1) }) });
const COLOR = form({ message: "Which color?", schema: z.object({ color: z.enum(["red", "blue"]) }) });

const nameOf = async (call: Call, key = "name") => {
  const answer = await call.input(key, NAME);
  return answer.action === "accept" ? answer.content.name : answer.action;
};

describe("questions of a task", () => {
  test("a form is asked under the handler's key, and its answer reaches the handler", async () => {
    const server = taskServer()
      .tool("greet", { task: "optional", handler: async (_args, call) => `Hello, ${await nameOf(call)}!` })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("greet");
    const asked = await until(taskId, "input_required");
    expect(asked.inputRequests).toEqual({
      name: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: "Who are you?",
          requestedSchema: {
            type: "object",
            properties: { name: { type: "string", minLength: 1 } },
            required: ["name"],
          },
        },
      },
    });
    const ack = await answer(taskId, { name: accept({ name: "Ada" }) });
    expect(Object.keys(ack).toSorted()).toEqual(["_meta", "resultType"]);
    const done = await settled(taskId);
    expect(textOf(done.result)).toBe("Hello, Ada!");
    expect(done).not.toHaveProperty("inputRequests");
  });

  test("a completion of the client's model is requested", async () => {
    const server = taskServer()
      .tool("summarize", {
        task: "optional",
        async handler(_args, call) {
          const messages = [{ role: "user", content: { type: "text", text: "Sum up." } }] as const;
          const { content, model } = await call.sample("summary", { messages, maxTokens: 9 });
          return `${model}: ${JSON.stringify(content)}`;
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("summarize");
    const { inputRequests } = await until(taskId, "input_required");
    expect(inputRequests).toMatchObject({
      summary: { method: "sampling/createMessage", params: { maxTokens: 9 } },
    });
    const content = { type: "text", text: "Short." };
    await answer(taskId, { summary: { role: "assistant", model: "m", content } });
    expect(textOf((await settled(taskId)).result)).toBe(`m: ${JSON.stringify(content)}`);
  });

  test("the client's roots are requested", async () => {
    const server = taskServer()
      .tool("scan", {
        task: "optional",
        handler: async (_args, call) => (await call.roots("roots")).map(({ uri }) => uri).join(),
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("scan");
    const { inputRequests } = await until(taskId, "input_required");
    expect(inputRequests).toEqual({ roots: { method: "roots/list", params: {} } });
    await answer(taskId, { roots: { roots: [{ uri: "file:///a" }, { uri: "file:///b", name: "b" }] } });
    expect(textOf((await settled(taskId)).result)).toBe("file:///a,file:///b");
  });

  test("a URL for the user is sent", async () => {
    const server = taskServer()
      .tool("pay", {
        task: "optional",
        handler: async (_args, call) =>
          (await call.input("pay", url({ message: "Pay here", url: "https://pay.example/1" }))).action,
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("pay");
    const { inputRequests } = await until(taskId, "input_required");
    expect(inputRequests?.["pay"]).toMatchObject({
      method: "elicitation/create",
      params: { mode: "url", message: "Pay here", url: "https://pay.example/1" },
    });
    await answer(taskId, { pay: { action: "accept" } });
    expect(textOf((await settled(taskId)).result)).toBe("accept");
  });

  test.each(["decline", "cancel"])("the user can %s", async (action) => {
    const server = taskServer()
      .tool("greet", { task: "optional", handler: (_args, call) => nameOf(call) })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("greet");
    await until(taskId, "input_required");
    await answer(taskId, { name: { action } });
    expect(textOf((await settled(taskId)).result)).toBe(action);
  });

  test("questions one after the other are asked one at a time", async () => {
    let runs = 0;
    const server = taskServer()
      .tool("wizard", {
        task: "optional",
        async handler(_args, call) {
          runs++;
          const first = await nameOf(call, "first");
          const second = await nameOf(call, "second");
          return `${first} ${second}`;
        },
      })
      .build();
    const { create, until, answer, settled } = await connect(server);
    const taskId = await create("wizard");
    expect(Object.keys((await until(taskId, "input_required")).inputRequests ?? {})).toEqual(["first"]);
    await answer(taskId, { first: accept({ name: "Ada" }), second: accept({ name: "too early" }) });
    const { inputRequests } = await until(taskId, "input_required");
    expect(Object.keys(inputRequests ?? {})).toEqual(["second"]);
    await answer(taskId, { second: accept({ name: "Lovelace" }) });
    expect(textOf((await settled(taskId)).result)).toBe("Ada Lovelace");
    expect(runs).toBe(3);
  });
});

describe("parallel questions", () => {
  const server = () => {
    let runs = 0;
    const built = taskServer()
      .tool("both", {
        task: "optional",
        async handler(_args, call) {
          runs++;
          const [name, color] = await Promise.all([nameOf(call), call.input("color", COLOR)]);
          return `${name}: ${color.action === "accept" ? color.content.color : "none"}`;
        },
      })
      .build();
    return { built, runs: () => runs };
  };

  test("are asked at once, and the handler runs again when the last one is answered", async () => {
    const { built, runs } = server();
    const { create, until, answer, get, settled } = await connect(built);
    const taskId = await create("both");
    const asked = await until(taskId, "input_required");
    expect(Object.keys(asked.inputRequests ?? {})).toEqual(["name", "color"]);

    await answer(taskId, { color: accept({ color: "blue" }) });
    const rest = await get(taskId);
    expect(rest.status).toBe("input_required");
    expect(Object.keys(rest.inputRequests ?? {})).toEqual(["name"]);
    await turn();
    expect(runs()).toBe(1);

    await answer(taskId, { name: accept({ name: "Ada" }) });
    expect(textOf((await settled(taskId)).result)).toBe("Ada: blue");
    expect(runs()).toBe(2);
  });

  test("the task is working as soon as the last answer is acknowledged", async () => {
    const { create, until, answer, get } = await connect(server().built);
    const taskId = await create("both");
    await until(taskId, "input_required");
    await answer(taskId, { color: accept({ color: "red" }), name: accept({ name: "Ada" }) });
    expect((await get(taskId)).status).not.toBe("input_required");
  });

  test("unknown and answered keys are ignored and acknowledged", async () => {
    const { create, until, answer, get, settled } = await connect(server().built);
    const taskId = await create("both");
    const asked = await until(taskId, "input_required");
    const ack = { resultType: "complete" };
    expect(await answer(taskId, { "unknown-key": { ignored: true } })).toMatchObject(ack);
    expect(await answer(taskId, {})).toMatchObject(ack);
    expect(await get(taskId)).toEqual(asked);

    await answer(taskId, { name: accept({ name: "Ada" }) });
    expect(await answer(taskId, { name: accept({ name: "Eve" }) })).toMatchObject(ack);
    expect(await answer(taskId, { name: "not even valid" })).toMatchObject(ack);
    await answer(taskId, { color: accept({ color: "red" }), name: accept({ name: "Eve" }) });
    expect(textOf((await settled(taskId)).result)).toBe("Ada: red");
    expect(await answer(taskId, { name: accept({ name: "Late" }) })).toMatchObject(ack);
    expect(textOf((await get(taskId)).result)).toBe("Ada: red");
  });

  test("names of inherited members are ordinary keys", async () => {
    const { create, until, answer, get } = await connect(server().built);
    const taskId = await create("both");
    const asked = await until(taskId, "input_required");
    const given = JSON.parse(
      '{"__proto__":{"name":{"action":"accept"}},"constructor":1,"toString":2}',
    ) as object;
    await answer(taskId, { ...given });
    expect(await get(taskId)).toEqual(asked);
  });

  test("answers of two clients at the same time are both kept", async () => {
    const { built } = server();
    const { create, until, answer, settled } = await connect(built);
    const other = await connect(built);
    const taskId = await create("both");
    await until(taskId, "input_required");
    await Promise.all([
      answer(taskId, { name: accept({ name: "Ada" }) }),
      other.answer(taskId, { color: accept({ color: "red" }) }),
    ]);
    expect(textOf((await settled(taskId)).result)).toBe("Ada: red");
  });
});

describe("invalid answers", () => {
  const server = () =>
    taskServer()
      .tool("both", {
        task: "optional",
        async handler(_args, call) {
          const [name, color] = await Promise.all([nameOf(call), call.input("color", COLOR)]);
          return `${name}: ${color.action}`;
        },
      })
      .tool("model", {
        task: "optional",
        async handler(_args, call) {
          const asked = [call.sample("sample", { messages: [], maxTokens: 1 }), call.roots("roots")] as const;
          return JSON.stringify(await Promise.all(asked));
        },
      })
      .build();

  test.each<[string, unknown, string]>([
    ["text", "Ada", 'expected `action` to be "accept", "decline", or "cancel"'],
    ["null", null, 'expected `action` to be "accept", "decline", or "cancel"'],
    ["an unknown action", { action: "maybe" }, 'expected `action` to be "accept", "decline", or "cancel"'],
    ["no content", { action: "accept" }, "is required"],
    ["a missing field", accept({}), "is required"],
    ["a wrong type", accept({ name: 7 }), "must be a string"],
    ["an empty text", accept({ name: "" }), "length must be at least 1; got 0"],
  ])("%s is rejected and nothing is recorded", async (_what, wrong, problem) => {
    const { create, until, answer, get, settled } = await connect(server());
    const taskId = await create("both");
    const asked = await until(taskId, "input_required");
    const { code, message } = await errorOf(answer(taskId, { color: accept({ color: "red" }), name: wrong }));
    expect(code).toBe(-32602);
    expect(message).toMatch(/^The response to "name" is invalid: /);
    expect(message).toContain(problem);
    expect(await get(taskId)).toEqual(asked);

    await answer(taskId, { color: { action: "decline" }, name: accept({ name: "Ada" }) });
    expect(textOf((await settled(taskId)).result)).toBe("Ada: decline");
  });

  test("an answer of the wrong kind is rejected", async () => {
    const { create, until, answer, get } = await connect(server());
    const taskId = await create("model");
    const asked = await until(taskId, "input_required");
    expect(await errorOf(answer(taskId, { sample: accept({}) }))).toEqual({
      code: -32602,
      message: 'The response to "sample" is invalid: expected an object with `role`, `content`, and `model`.',
    });
    expect(await errorOf(answer(taskId, { roots: { roots: [{}] } }))).toEqual({
      code: -32602,
      message:
        'The response to "roots" is invalid: expected an object with a `roots` array whose items have a `uri`.',
    });
    expect(await get(taskId)).toEqual(asked);
  });
});

describe("a client without the capability", () => {
  test("the task fails with -32021 and names it", async () => {
    const server = taskServer()
      .tool("greet", { task: "optional", handler: (_args, call) => nameOf(call) })
      .tool("scan", {
        task: "optional",
        handler: async (_args, call) => JSON.stringify(await call.roots("roots")),
      })
      .build();
    const { run } = await connect(server, { capabilities: DECLARED });
    expect(await run("greet")).toMatchObject({
      status: "failed",
      statusMessage: "The client does not support elicitation.",
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
    expect((await run("scan")).error).toMatchObject({ code: -32021 });
  });

  test("a handler can ask first if the client supports the question", async () => {
    const server = taskServer()
      .tool("greet", {
        task: "optional",
        handler: async (_args, call) => (call.client.supports("form") ? nameOf(call) : "stranger"),
      })
      .build();
    const { run } = await connect(server, { capabilities: DECLARED });
    expect(textOf((await run("greet")).result)).toBe("stranger");
  });
});

describe("while a task waits for answers", () => {
  test("no worker is held: many waiting tasks do not delay another one", async () => {
    const server = taskServer({ concurrency: 1 })
      .tool("greet", { task: "optional", handler: (_args, call) => nameOf(call) })
      .tool("quick", { task: "optional", handler: () => "done" })
      .build();
    const { create, until, run, answer, settled } = await connect(server);
    const ids = await Promise.all(Array.from({ length: 20 }, () => create("greet")));
    for (const taskId of ids) await until(taskId, "input_required");
    expect((await run("quick")).status).toBe("completed");
    for (const taskId of ids.toReversed()) {
      await answer(taskId, { name: accept({ name: taskId }) });
      expect(textOf((await settled(taskId)).result)).toBe(taskId);
    }
  });

  test("the handler's `finally` blocks have run", async () => {
    let open = 0;
    const server = taskServer()
      .tool("greet", {
        task: "optional",
        async handler(_args, call) {
          open++;
          try {
            return await nameOf(call);
          } finally {
            open--;
          }
        },
      })
      .build();
    const { create, until } = await connect(server);
    await until(await create("greet"), "input_required");
    expect(open).toBe(0);
  });
});
