import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { draftDefinedResource, draftDefinedTool } from "../../src/core/definitions/handlers.js";
import {
  defineServer,
  FnToolHandler,
  McpError,
  parseResources,
  parseTools,
  Server,
} from "../../src/index.js";
import type { JsonObject } from "../../src/protocol/index.js";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { createClient } from "../../src/testing/index.js";
import { toNodeHandler } from "../../src/transport/node/index.js";
import { exchangeOf, modernRequest, replyTo, request, toolCall } from "../../../../tests/support/requests.js";

const INFO = { name: "a", version: "1" };
const ECHO = '[{"name":"echo","inputSchema":{"type":"object","required":["text"]}}]';
const NOTE = '[{"name":"note","uri":"a://note"}]';
const SETTINGS = { layers: [], jsonSchema: undefined, validationErrors: undefined, deadlineMs: undefined };

interface User {
  readonly user: string;
}

const declared = () => Server.builder<User>().serverInfo("a", "1").toolsJson(ECHO).resourcesJson(NOTE);
const ada = { context: { user: "ada" } };

describe("first-run-b1: handleTool and handleResource", () => {
  test("call a function with the arguments and the call", async () => {
    const server = declared()
      .build()
      .handleTool(
        "echo",
        (args, call) => `${String(args["text"])} for ${call.context.user} (${typeof call.signal})`,
      )
      .handleResource("note", (uri, call) => `${uri} for ${call.context.user}`);
    const client = await createClient(server, ada);
    const { content } = await client.callTool("echo", { text: "hi" });
    expect(content).toEqual([{ type: "text", text: "hi for ada (object)" }]);
    const { contents } = await client.readResource("a://note");
    expect(contents).toEqual([{ uri: "a://note", text: "a://note for ada" }]);
  });

  test("call an object's method with the arguments and the context", async () => {
    class Greeter {
      readonly greeting = "Hello";
      call(args: JsonObject, { user }: User) {
        return `${this.greeting}, ${user}: ${String(args["text"])}`;
      }
    }
    const server = declared()
      .build()
      .handleTool("echo", new Greeter())
      .handleResource("note", { call: (_uri, { user }) => new McpError("FORBIDDEN", `Not for ${user}.`) });
    const client = await createClient(server, ada);
    expect((await client.callTool("echo", { text: "hi" })).content).toEqual([
      { type: "text", text: "Hello, ada: hi" },
    ]);
    await expect(client.readResource("a://note")).rejects.toThrow("Not for ada.");
    server.handleTool("echo", new FnToolHandler((_args, { user }: User) => user));
    expect((await client.callTool("echo", { text: "hi" })).content).toEqual([{ type: "text", text: "ada" }]);
  });

  test.each([
    [null, "null"],
    [undefined, "undefined"],
    [{}, "an object"],
    ["x", "a string"],
  ])("reject %j", (handler, kind) => {
    const server = declared().build();
    const message = `the handler must be a function, or an object with a \`call\` method; got ${kind}.`;
    expect(() => server.handleTool("echo", handler as never)).toThrow(
      new TypeError(`Tool "echo": ${message}`),
    );
    expect(() => server.handleResource("note", handler as never)).toThrow(
      new TypeError(`Resource "note": ${message}`),
    );
  });
});

describe("first-run-b2: the basic check of `oneOf`", () => {
  const byEmail = { required: ["email"] };
  const byName = { required: ["first", "last"] };
  test.each<[string, readonly unknown[], JsonObject, boolean]>([
    [
      "a branch with properties counts by its required list",
      [byEmail, { ...byName, properties: { first: {} } }],
      { first: "A", last: "B" },
      true,
    ],
    [
      "a branch with properties is not satisfied without its fields",
      [byEmail, { ...byName, properties: { first: {} } }],
      { first: "A" },
      false,
    ],
    [
      "titles do not turn the check off",
      [
        { ...byEmail, title: "By email" },
        { ...byName, title: "By name" },
      ],
      {},
      false,
    ],
    [
      "titled branches can be satisfied",
      [
        { ...byEmail, title: "By email" },
        { ...byName, title: "By name" },
      ],
      { email: "x" },
      true,
    ],
    [
      "a branch without a required list counts as satisfied",
      [byEmail, { properties: { kind: { const: "all" } } }],
      {},
      true,
    ],
    ["a branch that is a boolean counts as satisfied", [byEmail, true], {}, true],
    ["an empty required list is satisfied", [byEmail, { required: [] }], {}, true],
  ])("%s", async (_name, oneOf, args, isValid) => {
    const [tool] = parseTools([{ name: "find", inputSchema: { type: "object", oneOf } }]);
    expect(tool?.validateArguments(args)).toBe(
      isValid ? undefined : "arguments must satisfy oneOf requirements",
    );
  });

  test('`validation: "schema"` checks branches with other keywords in full', async () => {
    const server = defineServer({ ...INFO, jsonSchema: await loadJsonSchema() })
      .tools(
        [
          {
            name: "find",
            inputSchema: {
              type: "object",
              oneOf: [byEmail, { ...byName, properties: { first: { type: "string" } } }],
            },
          },
        ],
        { validation: "schema" },
      )
      .build()
      .handleTool("find", () => "found");
    expect(await replyTo(server, toolCall("find", { first: 1, last: "B" }))).toMatchObject({
      error: { code: -32602 },
    });
    expect(await replyTo(server, toolCall("find", { first: "A", last: "B" }))).toMatchObject({
      result: { content: [{ text: "found" }] },
    });
  });
});

describe("first-run-b3: servers built from one builder", () => {
  test("have their own handlers, and share them with their views", async () => {
    const builder = declared();
    const [one, two] = [builder.build(), builder.build()];
    one.handleTool("echo", () => "one").handleResource("note", () => "one");
    two.handleTool("echo", () => "two").handleResource("note", () => "two");
    const view = one.view({});
    const third = builder.build();
    const readAll = async (server: typeof one) => {
      const client = await createClient(server, ada);
      const { content } = await client.callTool("echo", { text: "x" });
      const { contents } = await client.readResource("a://note");
      return [content[0], contents[0]];
    };
    expect(await readAll(one)).toMatchObject([{ text: "one" }, { text: "one" }]);
    expect(await readAll(two)).toMatchObject([{ text: "two" }, { text: "two" }]);
    expect(await readAll(view)).toMatchObject([{ text: "one" }, { text: "one" }]);
    expect(await replyTo(third, toolCall("echo", { text: "x" }))).toMatchObject({
      error: { message: "no handler for tool: echo" },
    });
    view.handleTool("echo", () => "through the view");
    one.update((editor) => editor.prompt("p", { handler: () => "x" }));
    expect(await readAll(one)).toMatchObject([{ text: "through the view" }, { text: "one" }]);
  });
});

describe("first-run-b4: JSON.stringify of a response", () => {
  test.each(["tools/list", "ping", "tools/call", "nope"])("is the response: %s", async (method) => {
    const server = declared()
      .build()
      .handleTool("echo", ({ text }) => String(text));
    const params = { name: "echo", arguments: { text: "hi" } };
    const response = await server.handle(request(method, params, 7), ada.context);
    expect(JSON.stringify(response)).toBe(JSON.stringify(JSON.parse(response.toText())));
    expect(JSON.parse(JSON.stringify({ reply: response }))).toMatchObject({
      reply: { jsonrpc: "2.0", id: 7 },
    });
  });

  test("is `undefined` for a message that gets no response", async () => {
    const response = await declared()
      .build()
      .handle({ jsonrpc: "2.0", method: "notifications/initialized" }, ada.context);
    expect(JSON.stringify(response)).toBeUndefined();
  });
});

describe("first-run-b5: definitions as data", () => {
  test.each<[string, unknown, string]>([
    ["no type", { properties: {} }, "a schema without a single `type`"],
    ["an empty schema", {}, "a schema without a single `type`"],
    ["another type", { type: "string" }, "a string schema"],
  ])("an `inputSchema` with %s is named with its file and index", (_name, inputSchema, kind) => {
    const source = JSON.stringify([{ name: "ok" }, { name: "bad", inputSchema }]);
    expect(() => defineServer(INFO).toolsJson(source, { label: "tools.json" })).toThrow(
      new Error(`tools.json[1]: \`inputSchema\` must have \`"type": "object"\`; got ${kind}.`),
    );
  });

  test("`build` does not copy parsed definitions", () => {
    const [tool] = parseTools(ECHO);
    const [resource] = parseResources(NOTE);
    if (tool === undefined || resource === undefined) throw new Error("Expected one tool and one resource.");
    expect(draftDefinedTool(tool, "meta").compile(SETTINGS).definition).toBe(tool);
    expect(draftDefinedResource(resource).compile(SETTINGS).definition).toBe(resource);
    expect(Object.isFrozen(tool.inputSchema["required"])).toBe(true);
    expect(Object.isFrozen(resource)).toBe(true);
  });

  test("definitions that the application still holds are copied", () => {
    const inputSchema = { type: "object", required: ["a"] };
    const icons = [{ src: "https://example.com/a.png" }];
    const [tool] = parseTools([{ name: "t", inputSchema, icons }]);
    inputSchema.required.push("b");
    icons.pop();
    expect(tool).toMatchObject({ inputSchema: { required: ["a"] }, icons: [{}] });
    const [resource] = parseResources([{ name: "r", uri: "a://b", icons }]);
    icons.push({ src: "https://example.com/b.png" });
    expect(resource?.icons).toEqual([]);
  });
});

describe("first-run-b6: subscriptions/listen", () => {
  const EVERYTHING = {
    notifications: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["a://note"],
    },
  };
  const acknowledged = async (server: Server) => {
    const sent: unknown[] = [];
    const exchange = exchangeOf({}, { notify: (notification) => void sent.push(notification.params) });
    const open = server.handle(modernRequest("subscriptions/listen", EVERYTHING), undefined, exchange);
    await expect.poll(() => sent.length).toBe(1);
    exchange.connection.cancel(1, undefined);
    await open;
    return (sent[0] as { notifications: unknown }).notifications;
  };

  test("acknowledges only the kinds that the server has", async () => {
    const handler = () => "x";
    expect(await acknowledged(defineServer(INFO).build())).toEqual({});
    expect(await acknowledged(defineServer(INFO).tool("t", { handler }).build())).toEqual({
      toolsListChanged: true,
    });
    expect(await acknowledged(defineServer(INFO).prompt("p", { handler }).build())).toEqual({
      promptsListChanged: true,
    });
    expect(
      await acknowledged(defineServer(INFO).resource("r", { uri: "a://note", handler }).build()),
    ).toEqual({ resourcesListChanged: true, resourceSubscriptions: ["a://note"] });
    expect(
      await acknowledged(
        defineServer(INFO).resourceTemplate("r", { uriTemplate: "a://{x}", handler }).build(),
      ),
    ).toEqual({ resourcesListChanged: true, resourceSubscriptions: ["a://note"] });
  });

  test("is limited per caller and per server, and closed streams do not count", async () => {
    const server = defineServer({ ...INFO, maxListenStreams: 3, maxListenStreamsPerCaller: 2 })
      .tool("t", { handler: () => "x" })
      .build();
    const listen = (principal: string | undefined, id: number) => {
      const auth = principal === undefined ? {} : { auth: { principal, scopes: [] } };
      const exchange = exchangeOf({}, { notify: () => undefined, ...auth });
      const reply = server.handle(modernRequest("subscriptions/listen", EVERYTHING, id), undefined, exchange);
      return { reply, close: () => exchange.connection.close() };
    };
    const first = listen("ada", 1);
    listen("ada", 2);
    const third = await listen("ada", 3).reply;
    expect(third).toMatchObject({ error: "TOO_MANY_CALLS", status: 429 });
    expect(third.toText()).toContain(
      "Too many open `subscriptions/listen` streams for this caller (limit: 2). " +
        "Close one of them first, or request several kinds of notifications on one stream.",
    );
    listen("bob", 1);
    expect((await listen(undefined, 1).reply).toText()).toContain(
      "Too many open `subscriptions/listen` streams on this server (limit: 3). Try again later.",
    );
    first.close();
    expect((await first.reply).isEmpty()).toBe(true);
    const again = listen(undefined, 2);
    await expect(Promise.race([again.reply, Promise.resolve("open")])).resolves.toBe("open");
    server.close();
  });

  test(
    "is bounded over real sockets, where every request has its own connection",
    { timeout: 120_000 },
    async () => {
      const server = defineServer({ ...INFO, maxListenStreams: 20 })
        .tool("t", { handler: () => "x" })
        .build();
      const http = createServer(toNodeHandler(server));
      http.listen(0, "127.0.0.1");
      await once(http, "listening");
      onTestFinished(() => {
        http.closeAllConnections();
        http.close();
      });
      const { port } = http.address() as AddressInfo;
      const listen = (id: number) =>
        fetch(`http://127.0.0.1:${port}/mcp`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "subscriptions/listen",
          },
          body: JSON.stringify(modernRequest("subscriptions/listen", EVERYTHING, id)),
        });
      // `fetch` cancels responses that nobody refers to anymore.
      const open = [];
      for (let id = 1; id <= 20; id++) open.push(await listen(id));
      expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
      const refused = await listen(21);
      expect(refused.status).toBe(429);
      expect(await refused.text()).toContain(
        "Too many open `subscriptions/listen` streams on this server (limit: 20)",
      );
      for (const { body } of open) await body?.cancel();
    },
  );

  test.each([
    ["maxListenStreams", 0],
    ["maxListenStreamsPerCaller", "5"],
  ])("rejects an invalid limit: %s", (name, value) => {
    expect(() => defineServer({ ...INFO, [name]: value })).toThrow(
      new TypeError(`defineServer: \`${name}\` must be a positive integer; got ${JSON.stringify(value)}.`),
    );
  });
});

describe("first-run-b6: the reason for a cancelled call", () => {
  const cancelled = async (reason: unknown) => {
    let seen: unknown;
    const server = defineServer(INFO)
      .tool("wait", {
        handler: async (_args, { signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          seen = signal.reason;
        },
      })
      .build();
    const exchange = exchangeOf({ era: "legacy" });
    const call = server.handle(toolCall("wait", {}, 7), undefined, exchange);
    const params = { requestId: 7, ...(reason === undefined ? {} : { reason }) };
    await server.handle({ jsonrpc: "2.0", method: "notifications/cancelled", params }, undefined, exchange);
    await call;
    await expect.poll(() => seen).toBeDefined();
    return seen as DOMException;
  };

  test("is the client's text", async () => {
    const reason = await cancelled("The user pressed Stop – done");
    expect(reason).toBeInstanceOf(DOMException);
    expect(reason).toMatchObject({
      name: "AbortError",
      message: "The client cancelled the call: The user pressed Stop – done",
    });
  });

  test.each([undefined, 7, "", {}])("has a default text for %j", async (reason) => {
    expect(await cancelled(reason)).toMatchObject({ name: "AbortError", message: "The call was cancelled." });
  });

  test("is bounded and printable", async () => {
    const { message } = await cancelled(`\u001b[31mred\u202e\n${"x".repeat(100_000)}`);
    expect(message).toMatch(/^The client cancelled the call: \?\[31mred\?\?x+…$/);
    expect(message.length).toBeLessThan(200);
  });
});
