/**
 * @fileoverview Differences from the official SDK, version 2, on purpose. The migration guide lists each of them.
 * @module tests/sdk/v2/differences
 */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import * as official from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import * as tenon from "../../src/v2/index.js";
import {
  answersOf,
  bothSides,
  INFO,
  plain,
  type Register,
  type Sdk,
  SDKS,
  settle,
  text,
} from "../support/v2/both-sides.js";
import { handlersOf, META, modern, post, readResponse, sendBoth } from "../support/v2/http.js";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Status and error code of a successful response. */
const OK = [200, undefined];

describe("differences in registrations", () => {
  test("E1: the first tool may be registered after a client has connected", async () => {
    const [first, second] = await bothSides(() => undefined);
    const register = (side: typeof first) => side.server().registerTool("a", {}, () => text(""));
    expect(() => register(first)).toThrow("Cannot register capabilities after connecting to transport");
    register(second);
    expect((await second.client.request({ method: "tools/list" })).tools).toHaveLength(1);
  });

  test("E2: a schema that cannot be converted fails at registration, not when tools are listed", () => {
    const register: Register = (server) =>
      server.registerTool("a", { inputSchema: z.object({ d: z.date() }) }, () => text(""));
    const [[, theirs], [, ours]] = SDKS as [[string, Sdk], [string, Sdk]];
    expect(() => register(new theirs.McpServer(INFO), theirs)).not.toThrow();
    expect(() => register(new ours.McpServer(INFO), ours)).toThrow(
      'Tool "a": the input schema cannot be converted to JSON Schema at "d"',
    );
  });

  test("E3: Zod 3 object schemas are accepted", async () => {
    const register: Register = (server) =>
      server.registerTool("a", { inputSchema: z3.object({ a: z3.string() }) } as object, () => text(""));
    const [wanted, given] = await answersOf(register, async ({ client }) => client.listTools());
    expect(wanted).toMatchObject({ refused: { message: expect.stringContaining("zod 3") } });
    expect(given).toMatchObject({
      answer: { tools: [{ inputSchema: { properties: { a: { type: "string" } } } }] },
    });
  });

  test.each([[""], ["x".repeat(129)], ["a\nb"]])("E4: the name %j is rejected at registration", (name) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    expect(() => new official.McpServer(INFO).registerTool(name, {}, () => text(""))).not.toThrow();
    expect(() => new tenon.McpServer(INFO).registerTool(name, {}, () => text(""))).toThrow(
      "the name must be 1 to 128 characters long, without control characters.",
    );
    warn.mockRestore();
  });

  test("E5: renaming to a name in use throws, and changes nothing", () => {
    for (const [name, sdk] of SDKS) {
      const server = new sdk.McpServer(INFO);
      server.registerTool("a", {}, () => text("a"));
      const second = server.registerTool("b", {}, () => text("b"));
      const rename = () => second.update({ name: "a" });
      if (name === "official") expect(rename).not.toThrow();
      else expect(rename).toThrow("Tool a is already registered");
    }
  });

  test("E6: a disabled template is not listed", async () => {
    const register: Register = (server, sdk) =>
      server
        .registerResource("t", new sdk.ResourceTemplate("t://{a}", { list: undefined }), {}, (uri) => ({
          contents: [{ uri: uri.href, text: "" }],
        }))
        .disable();
    const lists = await answersOf(
      register,
      async ({ client }) => (await client.listResourceTemplates()).resourceTemplates.length,
    );
    expect(lists).toEqual([{ answer: 1 }, { answer: 0 }]);
  });

  test("E7: unknown options throw, with a suggestion", () => {
    expect(() => new official.McpServer(INFO, { instruction: "x" } as never)).not.toThrow();
    expect(() => new tenon.McpServer(INFO, { instruction: "x" } as never)).toThrow("instructions");
    expect(() =>
      official.createMcpHandler(() => new official.McpServer(INFO), { legcy: "reject" } as never),
    ).not.toThrow();
    expect(() =>
      tenon.createMcpHandler(() => new tenon.McpServer(INFO), { legcy: "reject" } as never),
    ).toThrow("legacy");
  });

  test.each([{ legacy: "serve" }, { responseMode: "text" }, { maxSubscriptions: -1 }])(
    "E7: the options %j are invalid",
    (options) => {
      const [theirs, ours] = [official, tenon as unknown as Sdk].map(
        (sdk) => () => sdk.createMcpHandler(() => new sdk.McpServer(INFO), options as object),
      );
      expect(theirs).not.toThrow();
      expect(ours).toThrow(TypeError);
    },
  );

  test("E8: a nested output schema does not repeat $schema for earlier revisions", async () => {
    const register: Register = (server) =>
      server.registerTool("a", { outputSchema: z.array(z.string()) }, () => ({
        content: [],
        structuredContent: [],
      }));
    const nested = await answersOf(register, async ({ client }) => {
      const { tools } = await client.listTools();
      const schema = JSON.parse(JSON.stringify(tools[0]?.outputSchema ?? {})) as {
        properties: { result: object };
      };
      return Object.keys(schema.properties.result).toSorted();
    });
    expect(nested).toEqual([{ answer: ["$schema", "items", "type"] }, { answer: ["items", "type"] }]);
  });
});

describe("differences in replies", () => {
  test("E9: an invalid result is rejected with a shorter text", async () => {
    const register: Register = (server) =>
      server.registerTool("bad", {}, () => ({ content: [{ type: "video" }] }) as never);
    const [wanted, given] = await answersOf(register, async ({ client }) => client.callTool({ name: "bad" }));
    expect(wanted).toMatchObject({ refused: { code: -32602 } });
    expect(given).toMatchObject({
      refused: {
        code: -32602,
        message: "Invalid tools/call result: a callback must return an object with content blocks",
      },
    });
  });

  test("E9: invalid parameters of a method have the code -32602", async () => {
    const register: Register = (server) => {
      server.server.registerCapabilities({ tools: {} });
      server.server.setRequestHandler("tools/call", () => text(""));
    };
    const ask = async ({ client }: { client: Client }) =>
      client.request({ method: "tools/call", params: { name: 5 } });
    const [wanted, given] = await answersOf(register, ask);
    expect(wanted).toMatchObject({ refused: { code: -32602 } });
    expect(given).toMatchObject({
      refused: { code: -32602, message: "Invalid params for tools/call: name must be a string" },
    });
  });

  test("E10: at most 50 validation issues are listed", async () => {
    const register: Register = (server) =>
      server.registerTool("list", { inputSchema: z.object({ n: z.array(z.number()) }) }, () => text(""));
    const args = { n: Array.from({ length: 900 }, () => "x") };
    const [wanted, given] = await answersOf(register, async ({ client }) =>
      client.callTool({ name: "list", arguments: args }),
    );
    expect(JSON.stringify(wanted).length).toBeGreaterThan(40_000);
    expect(JSON.stringify(given)).toContain("and 850 more");
    expect(JSON.stringify(given).length).toBeLessThan(6_000);
  });

  test("E11: long names are not repeated in full", async () => {
    const name = "x".repeat(5_000);
    const register: Register = (server) => server.registerTool("a", {}, () => text(""));
    const [wanted, given] = await answersOf(register, async ({ client }) => client.callTool({ name }));
    expect(JSON.stringify(wanted)).toContain(name);
    expect(JSON.stringify(given).length).toBeLessThan(600);
  });

  test("E12: a stack in an error's data is not sent", async () => {
    const register: Register = (server, sdk) =>
      server.registerPrompt("p", {}, () => {
        throw new sdk.ProtocolError(-32000, "m", { stack: "at secret.ts", a: 1 });
      });
    const [wanted, given] = await answersOf(register, async ({ client }) => client.getPrompt({ name: "p" }));
    expect(wanted).toMatchObject({ refused: { data: { stack: "at secret.ts" } } });
    expect(given).toMatchObject({ refused: { data: { a: 1 } } });
    expect(JSON.stringify(given)).not.toContain("secret.ts");
  });

  test("E13: a failed tool's data is sent in _meta if the tool has an output schema", async () => {
    const register: Register = (server) =>
      server.registerTool("fail", { outputSchema: z.object({ n: z.number() }) }, () => ({
        ...text("failed"),
        isError: true,
        structuredContent: { code: "X" },
      }));
    const [wanted, given] = await answersOf(register, async ({ client }) =>
      client.callTool({ name: "fail" }),
    );
    expect(wanted).toMatchObject({ answer: { structuredContent: { code: "X" } } });
    expect(plain(given)).toEqual({
      answer: { ...text("failed"), isError: true, _meta: { "tenon/structuredError": { code: "X" } } },
    });
  });

  test("with exposeErrors: false, the messages of unexpected errors are hidden", async () => {
    const server = new tenon.McpServer(INFO, { exposeErrors: false });
    server.registerTool("fail", {}, () => {
      throw new Error("secret");
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const client = new Client({ name: "c", version: "1" });
    await client.connect(near);
    expect(await client.callTool({ name: "fail" })).toEqual({ ...text("Tool fail failed"), isError: true });
  });

  test("E14: the reason of a cancellation is an error, not the client's text", async () => {
    const reasons: unknown[] = [];
    const register: Register = (server) =>
      server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        reasons.push(signal.reason);
        return text("");
      });
    for (const { client } of await bothSides(register)) {
      const stop = new AbortController();
      void client.callTool({ name: "wait" }, { signal: stop.signal }).catch(() => undefined);
      await settle();
      stop.abort("why");
      await settle();
    }
    expect(reasons).toEqual(["why", expect.any(Error)]);
  });
});

describe("differences of own request handlers", () => {
  test.each<readonly [title: string, result: unknown]>([
    ["an array", [{ name: "a" }]],
    ["a text", "a"],
  ])("E29: %s is not a result", async (_title, result) => {
    const [wanted, given] = await sendBoth(handlersOf(returning(result)), () => modern("example/x"));
    expect(wanted).toMatchObject({ messages: [{ result: { 0: result === "a" ? "a" : { name: "a" } } }] });
    expect(given).toMatchObject({
      messages: [
        { error: { code: -32603, message: expect.stringContaining("A result must be an object.") } },
      ],
    });
  });

  test("E29: no result is an empty one", async () => {
    const [wanted, given] = await sendBoth(handlersOf(returning(undefined)), () => modern("example/x"));
    expect(wanted).toMatchObject({ messages: [{ error: { code: -32603 } }] });
    expect(given).toMatchObject({ messages: [{ result: { resultType: "complete" } }] });
  });

  /** Sets a handler that returns anything. */
  function returning(result: unknown): Register {
    return ({ server }) =>
      server.setRequestHandler("example/x", { params: z.looseObject({}) }, () => result as never);
  }
});

describe("differences of createMcpHandler", () => {
  test("E15: replies to earlier revisions are JSON", async () => {
    const [wanted, given] = await sendBoth(handlersOf(), () =>
      post({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    );
    expect([wanted.type, given.type]).toEqual(["text/event-stream", "application/json"]);
    expect(given.messages).toEqual(wanted.messages);
  });

  test("E16: a 2026 notification is accepted, but not delivered", async () => {
    const seen: string[] = [];
    for (const [name, sdk] of SDKS) {
      const handler = sdk.createMcpHandler(() => {
        const server = new sdk.McpServer(INFO);
        server.server.setNotificationHandler(
          "example/note",
          { params: z.object({}) },
          () => void seen.push(name),
        );
        return server;
      });
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "example/note" };
      const response = await handler.fetch(
        post({ jsonrpc: "2.0", method: "example/note", params: { _meta: META } }, headers),
      );
      expect(response.status).toBe(202);
      await settle();
    }
    expect(seen).toEqual(["official"]);
  });

  test("E17: a factory may return the same server for several requests at once", async () => {
    const statuses = [];
    for (const [, sdk] of SDKS) {
      const server = new sdk.McpServer(INFO);
      server.registerTool("slow", {}, async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return text("done");
      });
      const handler = sdk.createMcpHandler(() => server);
      const responses = await Promise.all(
        [1, 2].map(async () => handler.fetch(modern("tools/call", { name: "slow" }))),
      );
      statuses.push(responses.map(({ status }) => status).toSorted((a, b) => a - b));
    }
    expect(statuses).toEqual([
      [200, 500],
      [200, 200],
    ]);
  });

  test("E18: deeply nested bodies are rejected", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`) as Record<string, unknown>;
    const [wanted, given] = await sendBoth(handlersOf(), () =>
      modern("tools/call", { name: "ping", arguments: deep }),
    );
    expect([wanted.status, given.status]).toEqual([200, 400]);
  });

  test("E18: bodies with many values are rejected, unless the handler allows them", async () => {
    const list = Array.from({ length: 25_000 }, () => 1);
    const request = () => modern("tools/call", { name: "ping", arguments: { list } });
    const [wanted, given] = await sendBoth(handlersOf(), request);
    expect([wanted.status, given.status]).toEqual([200, 400]);
    const [, allowed] = await sendBoth(handlersOf(undefined, { maxValues: 30_000 } as object), request);
    expect(allowed.status).toBe(200);
  });

  test("E25: batches are rejected in the revisions without batches", async () => {
    const send = (version: string) =>
      sendBoth(handlersOf(), () =>
        post([{ jsonrpc: "2.0", id: 1, method: "ping" }], { "mcp-protocol-version": version }),
      );
    for (const version of ["2025-06-18", "2025-11-25"]) {
      const [wanted, given] = await send(version);
      expect([wanted.status, given.status]).toEqual([200, 400]);
    }
    const [wanted, given] = await send("2025-03-26");
    expect([wanted.status, given.status]).toEqual([200, 200]);
  });

  test("E19: a server of the official package is rejected, with advice", async () => {
    const errors: string[] = [];
    const handler = tenon.createMcpHandler(() => new official.McpServer(INFO), {
      onerror: ({ message }) => void errors.push(message),
    });
    expect(await readResponse(await handler.fetch(modern("tools/list")))).toMatchObject({ status: 500 });
    expect(errors.join()).toContain("Change the import of the server too.");
  });
});

describe("differences of rejected HTTP requests", () => {
  const legacyList = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const codesOf = async (request: () => Request): Promise<unknown> => {
    const seen = await sendBoth(handlersOf(), request);
    return seen.map(({ status, messages: [message] }) => [
      status,
      (message?.["error"] as { code?: number } | undefined)?.code,
    ]);
  };

  test.each<readonly [title: string, request: () => Request, data: object]>([
    ["a header", () => modern("tools/list", {}, { "mcp-method": "x" }), { mismatch: { header: "x" } }],
    [
      "metadata",
      () => modern("tools/list", { _meta: { [CAPABILITIES]: 5 } }),
      { envelope: { key: CAPABILITIES } },
    ],
    [
      "a missing envelope",
      () => post(legacyList, { "mcp-protocol-version": "2026-07-28" }),
      { envelope: { missing: ["_meta"] } },
    ],
  ])("E30: an error about %s has no data", async (_title, request, data) => {
    const [wanted, given] = await sendBoth(handlersOf(), request);
    expect(wanted).toMatchObject({ status: 400, messages: [{ error: { data } }] });
    const { error } = given.messages[0] as { error: object };
    expect(given.status).toBe(400);
    expect(error).not.toHaveProperty("data");
  });

  test.each<readonly [title: string, request: () => Request, status: number]>([
    ["another content type", () => post("{}", { "content-type": "text/plain" }), 415],
    ["a body that is too large", () => post("x".repeat(5_000_000)), 413],
  ])("E31: %s has another error code", async (_title, request, status) => {
    expect(await codesOf(request)).toEqual([
      [status, -32_000],
      [status, -32_600],
    ]);
  });

  test("E32: an unsupported version header of an earlier revision has another error code", async () => {
    const header = { "mcp-protocol-version": "2020-01-01" };
    expect(await codesOf(() => post(legacyList, header))).toEqual([
      [400, -32_000],
      [400, -32_602],
    ]);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const initialize = { ...legacyList, method: "initialize", params };
    const oldest = { "mcp-protocol-version": "2024-10-07" };
    for (const request of [() => post(initialize, header), () => post(legacyList, oldest)])
      expect(await codesOf(request)).toEqual([OK, [400, -32_602]]);
  });

  test.each<readonly [accept: string, legacy: readonly unknown[], stateless: readonly unknown[]]>([
    ["application/json", [[406, -32_000], OK], [OK, OK]],
    ["*/*", [[406, -32_000], OK], [OK, OK]],
    [
      "text/html",
      [
        [406, -32_000],
        [406, -32_600],
      ],
      [OK, [406, -32_600]],
    ],
  ])("E33: Accept: %s", async (accept, legacy, stateless) => {
    expect(await codesOf(() => post(legacyList, { accept }))).toEqual(legacy);
    expect(await codesOf(() => modern("tools/list", {}, { accept }))).toEqual(stateless);
  });

  test("E34: a server of createMcpHandler has no transport", async () => {
    const register: Register = (server) =>
      server.registerTool("t", {}, () => text(typeof server.server.transport));
    const answers = await answersOf(register, ({ client }) => client.callTool({ name: "t" }), {
      era: "2026",
    });
    expect(plain(answers)).toMatchObject([{ answer: text("object") }, { answer: text("undefined") }]);
  });
});

describe("texts of our own", () => {
  test("E20: forms that cannot be shown have a different text", () => {
    const texts = [official, tenon].map(({ inputRequired }) => {
      try {
        inputRequired.elicit({ message: "m", requestedSchema: z.object({ a: z.object({}) }) });
      } catch (error) {
        return [(error as Error).name, (error as Error).message];
      }
      return [];
    });
    expect(texts.map(([name]) => name)).toEqual(["TypeError", "TypeError"]);
    expect(texts[1]?.[1]).toContain(
      'has a property "a" that is not a string, number, boolean, or list of choices',
    );
  });

  test("E20: a strict object is a form", () => {
    const ask = ({ inputRequired }: Pick<Sdk, "inputRequired">) =>
      inputRequired.elicit({ message: "m", requestedSchema: z.strictObject({ a: z.string() }) });
    expect(() => ask(official)).toThrow("additionalProperties");
    expect(ask(tenon)).toMatchObject({ params: { requestedSchema: { required: ["a"] } } });
  });
});

describe("differences at run time", () => {
  test("E21: a JSON Schema without a validator is checked with typebox", async () => {
    vi.doMock("tenon/json-schema", () => ({
      loadJsonSchema: () => Promise.reject(new Error("Install typebox: npm install typebox")),
    }));
    vi.resetModules();
    const { fromJsonSchema } = await import("../../src/v2/server/schemas.js");
    const schema = { type: "object" as const };
    await expect(
      Promise.resolve().then(() => fromJsonSchema(schema)["~standard"].validate({})),
    ).rejects.toThrow("npm install typebox");
    expect(await official.fromJsonSchema(schema)["~standard"].validate({})).toEqual({ value: {} });
    vi.doUnmock("tenon/json-schema");
    vi.resetModules();
  });

  test("E22: failures of callbacks are printed to standard error", async () => {
    const printed: string[] = [];
    const write = vi.spyOn(console, "error").mockImplementation((line) => void printed.push(String(line)));
    const counts: number[] = [];
    for (const { McpServer, createMcpHandler } of [official, tenon] as readonly Sdk[]) {
      const handler = createMcpHandler(() => {
        const server = new McpServer(INFO);
        server.registerTool("fail", {}, () => {
          throw new Error("out of ink");
        });
        return server;
      });
      await readResponse(await handler.fetch(modern("tools/call", { name: "fail", arguments: {} })));
      counts.push(printed.filter((line) => line.includes("out of ink")).length);
      await handler.close();
    }
    write.mockRestore();
    expect(counts).toEqual([0, 1]);
  });

  test("E24: a listening stream ends when the caller's token expires", async () => {
    const authInfo = { token: "t", clientId: "c", scopes: [], expiresAt: Math.floor(Date.now() / 1_000) - 1 };
    const listen = () => modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const [theirs, ours] = handlersOf();
    const open = await theirs?.fetch(listen(), { authInfo });
    const reader = open?.body?.getReader();
    await reader?.read(); // the acknowledgement
    const next = await Promise.race([reader?.read(), settle().then(() => "nothing")]);
    expect(next).toBe("nothing");
    await theirs?.close();
    const ended = await ours?.fetch(listen(), { authInfo });
    const { messages } = await readResponse(ended as Response); // Safe: there are two handlers
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
    await ours?.close();
  });
});
