import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  InitializedNotificationSchema,
  ListRootsRequestSchema,
  McpError,
  type ServerNotification,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  bothSides,
  type Register,
  settle,
  type Side,
  type SideOptions,
} from "./support/both-sides.js";

const text = (said: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(said) }] });
const call =
  (name: string) =>
  ({ client }: Side) =>
    client.callTool({ name });

const requestedSchema = {
  type: "object" as const,
  properties: { name: { type: "string" as const } },
  required: ["name"],
};
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say hi" } }];

/** Sets up a client that responds to every request with the data that it received. */
const CAPABLE: SideOptions = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  prepare(client: Client) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      params.message === "refuse"
        ? Promise.reject(new McpError(ErrorCode.InvalidRequest, "I will not", { why: "mood" }))
        : {
            action: "accept",
            ...(params.mode === "url" ? {} : { content: { name: `asked: ${params.message}` } }),
          },
    );
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: "assistant",
      model: "mine",
      content: { type: "text", text: `${params.messages.length} ${params.maxTokens}` },
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: "file:///home", name: "home" }],
    }));
  },
};

const asking: Register = (server) => {
  const low = server.server;
  server.registerTool("form", {}, async () =>
    text(await low.elicitInput({ message: "Who?", requestedSchema })),
  );
  server.registerTool("url", {}, async () =>
    text(
      await low.elicitInput({ mode: "url", message: "Go", url: "https://example.com/", elicitationId: "1" }),
    ),
  );
  server.registerTool("refuse", {}, async () =>
    text(await low.elicitInput({ message: "refuse", requestedSchema })),
  );
  server.registerTool("sample", {}, async () => text(await low.createMessage({ messages, maxTokens: 9 })));
  server.registerTool("roots", {}, async () => text(await low.listRoots()));
  server.registerTool("ping", {}, async () => text(await low.ping()));
  server.registerTool("extra", {}, async ({ sendRequest }) => {
    const params = { message: "Extra?", requestedSchema };
    return text(await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema));
  });
  server.registerTool("sampleExtra", {}, async ({ sendRequest }) =>
    text(
      await sendRequest(
        { method: "sampling/createMessage", params: { messages, maxTokens: 3 } },
        CreateMessageResultSchema,
      ),
    ),
  );
  server.registerTool("client", {}, () =>
    text([low.getClientCapabilities()?.elicitation, low.getClientVersion()]),
  );
};

describe("requests to the client, compared with the official server", () => {
  test.each(["form", "url", "refuse", "sample", "roots", "ping", "extra", "sampleExtra", "client"])(
    "%s is sent and receives a response in the same way",
    async (name) => {
      const [wanted, given] = await answersOf(asking, call(name), CAPABLE);
      expect(given).toEqual(wanted);
      expect(given).toHaveProperty("answer");
    },
  );

  test.each(["form", "url", "sample", "roots"])(
    "%s is rejected in the same way if the client does not support it",
    async (name) => {
      const strict = { server: { enforceStrictCapabilities: true } };
      const [wanted, given] = await answersOf(asking, call(name), strict);
      expect(given).toEqual(wanted);
      expect(given).toMatchObject({ answer: { isError: true } });
    },
  );

  test("a request outside any callback goes to the only client", async () => {
    const asked = await Promise.all(
      (await bothSides(asking, CAPABLE)).map(({ server }) =>
        server.server.elicitInput({ message: "Alone?", requestedSchema }),
      ),
    );
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[1]).toEqual({ action: "accept", content: { name: "asked: Alone?" } });
  });

  test("a request without a reply times out with the same text", async () => {
    const slow: SideOptions = {
      capabilities: { roots: {} },
      prepare: (client) => client.setRequestHandler(ListRootsRequestSchema, () => new Promise(() => {})),
    };
    const register: Register = (server) =>
      server.registerTool("roots", {}, async () => text(await server.server.listRoots({}, { timeout: 20 })));
    const [wanted, given] = await answersOf(register, call("roots"), slow);
    expect(given).toEqual(wanted);
  });
});

describe("notifications to the client, compared with the official server", () => {
  const LOGGING: SideOptions = { server: { capabilities: { logging: {} } } };
  const telling: Register = (server) => {
    server.registerTool("log", {}, async (extra) => {
      for (const level of ["debug", "warning"] as const) {
        await server.sendLoggingMessage({ level, data: { said: level }, logger: "tests" }, extra.sessionId);
        await extra.sendNotification({
          method: "notifications/message",
          params: { level, data: "by extra" },
        });
      }
      return text("logged");
    });
    server.registerTool("progress", {}, async ({ sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken ?? "none";
      const notification: ServerNotification = {
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      };
      await sendNotification(notification);
      return text("done");
    });
  };

  test("log messages arrive in the same way", async () => {
    const heard = await Promise.all(
      (await bothSides(telling, LOGGING)).map(async (side) => {
        await call("log")(side);
        await side.server.sendLoggingMessage({ level: "info", data: "outside" });
        await settle();
        return side.heard.map(({ method, params }) => ({ method, params }));
      }),
    );
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]).toHaveLength(5);
  });

  test("log messages below the client's level do not arrive", async () => {
    const heard = await Promise.all(
      (await bothSides(telling, LOGGING)).map(async (side) => {
        await side.client.setLoggingLevel("error");
        await side.server.sendLoggingMessage({ level: "warning", data: "too light" });
        await side.server.sendLoggingMessage({ level: "critical", data: "heavy" });
        await settle();
        return side.heard.map(({ params }) => params);
      }),
    );
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]).toEqual([{ level: "critical", data: "heavy" }]);
  });

  test("progress is sent to the caller that requested it, in the same way", async () => {
    const told = await Promise.all(
      (await bothSides(telling)).map(async ({ client }) => {
        const steps: unknown[] = [];
        await client.callTool({ name: "progress" }, undefined, { onprogress: (step) => steps.push(step) });
        return steps;
      }),
    );
    expect(told[1]).toEqual(told[0]);
    expect(told[1]).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  test("any notification can be sent, but not without a client", async () => {
    const heard = await Promise.all(
      (await bothSides(telling, { server: { capabilities: { resources: {} } } })).map(
        async ({ server, client, heard: list }) => {
          await server.server.notification({
            method: "notifications/resources/updated",
            params: { uri: "a://b" },
          });
          await settle();
          await client.close();
          await settle();
          const late = server.server.notification({ method: "notifications/tools/list_changed" });
          const refusal = await late.catch((error: Error) => error.message);
          return {
            list: list.map(({ method, params }) => ({ method, params })),
            refusal,
            isConnected: server.isConnected(),
          };
        },
      ),
    );
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]).toMatchObject({ refusal: "Not connected", isConnected: false });
  });
});

describe("the application's handlers, compared with the official server", () => {
  const EchoSchema = z.object({ method: z.literal("example/echo"), params: z.object({ said: z.string() }) });
  const AnySchema = z.looseObject({});
  const echo =
    (params: Record<string, unknown>) =>
    ({ client }: Side) =>
      client.request({ method: "example/echo", params }, AnySchema as never);
  const own: Register = (server) => {
    server.server.setRequestHandler(EchoSchema, ({ params }, { requestId }) => {
      if (params.said === "fail") throw new McpError(ErrorCode.InvalidRequest, "no echo", { a: 1 });
      if (params.said === "break") throw new Error("broken");
      return { heard: params.said, requestId };
    });
  };

  test.each([["hello"], ["fail"], ["break"]])(
    "a custom method responds to %s in the same way",
    async (said) => {
      const [wanted, given] = await answersOf(own, echo({ said }));
      expect(given).toEqual(wanted);
    },
  );

  test("an unknown method is rejected in the same way", async () => {
    const [wanted, given] = await answersOf(() => undefined, echo({ said: "hello" }));
    expect(given).toEqual(wanted);
    expect(given).toMatchObject({ refused: { code: -32601 } });
  });

  test("the fallback handles other methods in the same way", async () => {
    const register: Register = (server) =>
      (server.server.fallbackRequestHandler = async ({ method }) => ({ method }));
    const [wanted, given] = await answersOf(register, echo({ said: "hello" }));
    expect(given).toEqual(wanted);
    expect(given).toEqual({ answer: { method: "example/echo" } });
  });

  test("a handler replaces the built-in handler", async () => {
    const register: Register = (server) => {
      server.registerTool("x", {}, () => text("x"));
      server.server.removeRequestHandler("tools/list");
      const schema = z.object({ method: z.literal("tools/list") });
      server.server.setRequestHandler(schema, () => ({
        tools: [{ name: "other", inputSchema: { type: "object" } }],
      }));
    };
    const [wanted, given] = await answersOf(register, ({ client }) => client.listTools());
    expect(given).toEqual(wanted);
  });

  test("notifications and `initialized` are received in the same way", async () => {
    const heard = await Promise.all(
      [0, 1].map(async (side) => {
        const events: unknown[] = [];
        const sides = await bothSides((server) => {
          server.server.oninitialized = () => events.push("initialized");
          // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an event target
          server.server.onclose = () => events.push("closed");
          const schema = z.object({ method: z.literal("example/told"), params: z.object({ a: z.number() }) });
          server.server.setNotificationHandler(schema, ({ params }) => void events.push(params));
        });
        events.length = 0;
        const one = sides[side];
        await one?.client.notification({ method: "example/told", params: { a: 1 } });
        await one?.client.notification({ method: "notifications/initialized" });
        await settle();
        await one?.server.close();
        await settle();
        return events;
      }),
    );
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]?.slice(0, 3)).toEqual([{ a: 1 }, "initialized", "closed"]);
  });

  test("a handler for `initialized` replaces the default", async () => {
    const events: string[] = [];
    await bothSides((server) => {
      server.server.setNotificationHandler(InitializedNotificationSchema, () => void events.push("own"));
    });
    await settle();
    expect(events).toEqual(["own", "own"]);
  });

  test("capabilities and instructions are declared in the same way", async () => {
    const options: SideOptions = {
      server: {
        instructions: "Be kind.",
        capabilities: { logging: {}, tools: {}, experimental: { "example.com/x": { a: 1 } } },
      },
    };
    const register: Register = (server) => {
      server.server.registerCapabilities({ prompts: { listChanged: true } });
      server.registerTool("x", {}, () => text("x"));
    };
    const said = (await bothSides(register, options)).map(({ client }) => [
      client.getServerCapabilities(),
      client.getServerVersion(),
      client.getInstructions(),
    ]);
    expect(said[1]).toEqual(said[0]);
  });

  test("capabilities cannot be added after a client has connected", async () => {
    for (const { server } of await bothSides(own)) {
      expect(() => server.server.registerCapabilities({ tools: {} })).toThrow(
        "Cannot register capabilities after connecting to transport",
      );
    }
  });
});
