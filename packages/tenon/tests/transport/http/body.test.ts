import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import { toFetch } from "../../../src/transport/fetch/index.js";
import { toNodeHandler } from "../../../src/transport/node/node-handler.js";
import {
  type Endpoint,
  FACES,
  listen,
  NODE,
  post,
  read,
  SERVED,
  STREAMED,
} from "../../../../../tests/support/http-faces.js";
import { modernCall, modernPost } from "../../../../../tests/support/http-messages.js";
import { exchange, openSocket, rawPost, rawRequest } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const server = defineServer({ name: "body", version: "1.0.0" })
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .build();

const LIMIT = 1_000;
const TOO_LARGE = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32600, message: "The message is too large (limit: 1000 bytes)." },
};
const HEADERS = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover" };
const DISCOVER = (id: number) => JSON.stringify(modernRequest("server/discover", {}, id));

const refusal = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } });

/** Asserts that the endpoint still works. */
const expectAlive = async (endpoint: Endpoint) => {
  const { status, body } = await read(await endpoint.fetch(modernCall("echo", { text: "alive" })));
  expect({ status, content: (body["result"] as Record<string, unknown>)["content"] }).toEqual({
    status: 200,
    content: [{ type: "text", text: "alive" }],
  });
};

describe.each([...FACES, STREAMED])("POST bodies on $name", (face) => {
  test.each([
    ["text/plain", "{}"],
    ["application/x-www-form-urlencoded", "a=b"],
    ["multipart/form-data; boundary=x", "--x--"],
    [undefined, undefined],
  ])("415 for a body of type %s", async (type, body) => {
    const endpoint = await face.open(server);
    const { status, body: reply } = await read(
      await endpoint.fetch({
        ...post(body ?? "", { "content-type": type }),
        ...(body === undefined ? { body: null } : {}),
      }),
    );
    expect({ status, reply }).toEqual({
      status: 415,
      reply: refusal(
        -32600,
        `The Content-Type header must be application/json; got ${type === undefined ? "none" : `"${type}"`}.`,
      ),
    });
    await expectAlive(endpoint);
  });

  test("406 for a client that accepts neither JSON nor event streams", async () => {
    const endpoint = await face.open(server);
    const { status, body } = await read(await endpoint.fetch(post("{}", { accept: "text/html" })));
    expect({ status, body }).toEqual({
      status: 406,
      body: refusal(
        -32600,
        'The Accept header must allow application/json and text/event-stream; got "text/html".',
      ),
    });
  });

  test.each([
    ["nothing", "", -32700, "The message is not valid JSON."],
    ["half an object", '{"jsonrpc":', -32700, "The message is not valid JSON."],
    ["two values", "{}{}", -32700, "The message is not valid JSON."],
    ["a word", "hello", -32700, "The message is not valid JSON."],
    ["a null", "null", -32600, "The message must be a JSON object."],
    ["a number", "42", -32600, "The message must be a JSON object."],
    ["an empty object", "{}", -32600, "jsonrpc must be '2.0'"],
    ["a different protocol", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, "jsonrpc must be '2.0'"],
    ["no method", '{"jsonrpc":"2.0"}', -32600, "`method` must be a string."],
    [
      "an id that is an array",
      '{"jsonrpc":"2.0","id":[],"method":"a"}',
      -32600,
      "`id` must be a string or a safe integer.",
    ],
    ["deep nesting", "[".repeat(65) + "]".repeat(65), -32600, "The message is nested deeper than 64 levels."],
    ["very deep nesting", "[".repeat(500_000), -32600, "The message is nested deeper than 64 levels."],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22]), -32700, "The message is not valid UTF-8."],
    [
      "a lone surrogate",
      new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
      -32700,
      "The message is not valid UTF-8.",
    ],
  ])("400 for %s", async (_what, body, code, message) => {
    const endpoint = await face.open(server);
    const { status, body: reply } = await read(await endpoint.fetch(post(body)));
    const id = typeof body === "string" && body.includes('"id":1') ? 1 : null;
    expect({ status, reply }).toEqual({ status: 400, reply: { ...refusal(code, message), id } });
    await expectAlive(endpoint);
  });

  test("400 for an invalid message under a stateless version header", async () => {
    const endpoint = await face.open(server);
    const { status, body } = await read(
      await endpoint.fetch(post('{"jsonrpc":"1.0"}', { "mcp-protocol-version": MODERN })),
    );
    expect({ status, body }).toEqual({ status: 400, body: refusal(-32600, "jsonrpc must be '2.0'") });
  });

  test.each([LIMIT - 1, LIMIT, LIMIT + 1])("a body of %i bytes with a limit of 1000", async (size) => {
    const endpoint = await face.open(server, { limits: { maxBytes: LIMIT } });
    const bare = DISCOVER(1);
    const { status } = await read(
      await endpoint.fetch({ ...modernPost("server/discover"), body: bare + " ".repeat(size - bare.length) }),
    );
    expect(status).toBe(size > LIMIT ? 413 : 200);
  });

  test("the limit counts bytes, not characters", async () => {
    const endpoint = await face.open(server, { limits: { maxBytes: LIMIT } });
    const { status, body } = await read(await endpoint.fetch(post(JSON.stringify("ü".repeat(600)))));
    expect({ status, body }).toEqual({ status: 413, body: TOO_LARGE });
    await expectAlive(endpoint);
  });

  test.each(["HEAD", "PUT", "PATCH", "OPTIONS"])("405 with Allow for %s", async (method) => {
    const endpoint = await face.open(server);
    const response = await endpoint.fetch({ method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, GET, DELETE");
    expect(await response.text()).toBe("");
    await expectAlive(endpoint);
  });
});

describe.each(FACES)("CORS on $name", (face) => {
  const APP = "https://app.example.com";

  test("without CORS no header lets a page read responses", async () => {
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(
      modernPost("server/discover", {}, { headers: { origin: "http://localhost:5173" } }),
    );
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  test("an allowed origin receives CORS headers in the preflight and the response", async () => {
    const endpoint = await face.open(server, { corsOrigins: [APP] });
    const asked = await endpoint.fetch({
      method: "OPTIONS",
      headers: {
        origin: APP,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, Mcp-Param-Region, x-other",
      },
    });
    expect(asked.status).toBe(204);
    expect(
      Object.fromEntries([...asked.headers].filter(([name]) => /^(access-control|vary)/.test(name))),
    ).toEqual({
      "access-control-allow-origin": APP,
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, idempotency-key, mcp-param-region",
      "access-control-expose-headers": "mcp-session-id, www-authenticate",
      "access-control-max-age": "86400",
      vary: "Origin",
    });
    const replied = await endpoint.fetch(modernPost("server/discover", {}, { headers: { origin: APP } }));
    expect(replied.status).toBe(200);
    expect(replied.headers.get("access-control-allow-origin")).toBe(APP);
    expect(replied.headers.get("access-control-expose-headers")).toBe("mcp-session-id, www-authenticate");
  });

  test("a page from an allowed origin can read a rejection", async () => {
    const endpoint = await face.open(server, { corsOrigins: [APP] });
    const response = await endpoint.fetch(post("nonsense", { origin: APP }));
    expect(response.status).toBe(400);
    expect(response.headers.get("access-control-allow-origin")).toBe(APP);
  });

  test.each(["https://evil.com", "https://app.example.com.evil.com", "http://app.example.com", "null"])(
    "the origin %s is not allowed",
    async (origin) => {
      const endpoint = await face.open(server, { corsOrigins: [APP] });
      for (const method of ["OPTIONS", "POST"]) {
        const response = await endpoint.fetch({ method, headers: { origin } });
        expect(response.status).toBe(403);
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
      }
    },
  );

  test("with a star every page is allowed, without credentials", async () => {
    const endpoint = await face.open(server, { corsOrigins: "*" });
    const response = await endpoint.fetch(modernPost("server/discover", {}, { headers: { origin: "null" } }));
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe.each([NODE, SERVED, STREAMED])("body lengths over raw sockets, $name", (face) => {
  const open = () => face.open(server, { limits: { maxBytes: LIMIT } });
  const chunked = (...chunks: readonly string[]) =>
    chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");

  test("413 for a correct length, before any of the body has arrived", async () => {
    const { port } = await open();
    const reply = await rawRequest(port, rawPost("", { "Content-Length": String(LIMIT + 1) }));
    expect(reply.status).toBe(413);
    expect(reply.headers["connection"]).toBe("close");
    expect(JSON.parse(reply.body)).toEqual(TOO_LARGE);
  });

  test("413 for a length that would not fit in memory", async () => {
    const { port } = await open();
    expect((await rawRequest(port, rawPost("", { "Content-Length": "9007199254740991" }))).status).toBe(413);
  });

  test("413 for a body without a length, as soon as it exceeds the limit", async () => {
    const { port } = await open();
    const head = rawPost("", { "Content-Length": undefined, "Transfer-Encoding": "chunked" });
    const reply = await rawRequest(port, head + chunked("x".repeat(600), "x".repeat(600)));
    expect(reply.status).toBe(413);
    expect(reply.headers["connection"]).toBe("close");
    expect(JSON.parse(reply.body)).toEqual(TOO_LARGE);
  });

  test("a client that keeps sending after 413 is disconnected", async () => {
    const { port } = await open();
    const socket = await openSocket(port);
    const head = rawPost("", { "Content-Length": undefined, "Transfer-Encoding": "chunked" });
    const [reply] = await exchange(socket, head + chunked("x".repeat(2_000)));
    expect(reply?.status).toBe(413);
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    const flood = setInterval(() => socket.write(chunked("x".repeat(10_000))), 1);
    await closed;
    clearInterval(flood);
    expect(socket.destroyed).toBe(true);
  });

  test("a body without a length is read if it is within the limit", async () => {
    const { port } = await open();
    const head = rawPost("", { ...HEADERS, "Content-Length": undefined, "Transfer-Encoding": "chunked" });
    const body = DISCOVER(7);
    const text = `${head}${chunked(body.slice(0, 10), body.slice(10))}0\r\n\r\n`;
    const reply = await rawRequest(port, text);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({ id: 7 });
  });

  test("a length smaller than the body truncates it, and the rest is not a valid request", async () => {
    const { port } = await open();
    const socket = await openSocket(port);
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    const body = DISCOVER(1);
    const replies = await exchange(socket, rawPost(body, { ...HEADERS, "Content-Length": "20" }), 2);
    // Node.js decides whether the first rejection is written before the rest breaks the connection.
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test("a length together with chunked encoding is rejected to stop request smuggling", async () => {
    const { port } = await open();
    const text = rawPost(DISCOVER(1), { ...HEADERS, "Transfer-Encoding": "chunked" });
    expect((await rawRequest(port, text)).status).toBe(400);
  });

  test.each(["abc", "-1", "1e3", "0x10", "10, 11"])("a length of %s is rejected", async (length) => {
    const { port } = await open();
    expect(
      (await rawRequest(port, rawPost(DISCOVER(1), { ...HEADERS, "Content-Length": length }))).status,
    ).toBe(400);
  });

  test("a client that disconnects before its body is complete leaves nothing behind", async () => {
    const endpoint = await open();
    const socket = await openSocket(endpoint.port);
    socket.write(rawPost("{", { "Content-Length": "500" }));
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    socket.destroy();
    await expectAlive(endpoint);
    await endpoint.close(500);
  });

  test("a length larger than the body times out", async () => {
    const handler = toNodeHandler(server);
    const timeouts = { requestTimeout: 60, headersTimeout: 50, connectionsCheckingInterval: 20 };
    const port = await listen(handler, timeouts);
    const reply = await rawRequest(port, rawPost("{", { "Content-Length": "500" }));
    expect(reply.status).toBe(408);
    await handler.close(500);
  });
});

describe("a body parser before the handler", () => {
  /** Reads the body as middleware does, and leaves the parsed body on the request. */
  const openParsed = (parse: (body: Uint8Array) => unknown) => {
    const handler = toNodeHandler(server, { limits: { maxBytes: LIMIT } });
    return listen((request, response) => {
      const chunks: Uint8Array[] = [];
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      request.once("end", () => {
        // The parser's callback runs after the stream has ended.
        setImmediate(() => handler(Object.assign(request, { body: parse(Buffer.concat(chunks)) }), response));
      });
    });
  };

  test.each([
    ["an object", (body: Uint8Array) => JSON.parse(Buffer.from(body).toString()) as unknown],
    ["text", (body: Uint8Array) => Buffer.from(body).toString()],
    ["bytes", (body: Uint8Array) => body],
  ])("that leaves %s is supported, within the same limit", async (_what, parse) => {
    const port = await openParsed(parse);
    const reply = await rawRequest(port, rawPost(DISCOVER(4), HEADERS));
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({ id: 4 });
    const large = await rawRequest(port, rawPost(JSON.stringify({ text: "x".repeat(LIMIT) })));
    expect(large.status).toBe(413);
  });
});

describe("the fetch handler", () => {
  test("a wrong length is not trusted", async () => {
    const handler = toFetch(server, { limits: { maxBytes: LIMIT } });
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 100;
        controller.enqueue(new Uint8Array(100));
      },
    });
    // Node's `fetch` requires this member, but its types omit it.
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": "10" },
      body: endless,
      duplex: "half",
    };
    const response = await handler(new Request("http://localhost/mcp", init));
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual(TOO_LARGE);
    expect(pulled).toBeLessThan(2 * LIMIT);
  });

  test("a body with a length above the limit is rejected unread", async () => {
    const handler = toFetch(server, { limits: { maxBytes: LIMIT } });
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": "1001" },
      body: "{}",
    });
    expect((await handler(request)).status).toBe(413);
    expect(request.bodyUsed).toBe(false);
  });
});

describe("one socket, many requests", () => {
  test("two pipelined requests get their responses in order", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const both = rawPost(DISCOVER(1), HEADERS) + rawPost(DISCOVER(2), HEADERS);
    const replies = await exchange(socket, both, 2);
    expect(replies.map(({ status, body }) => [status, (JSON.parse(body) as { id: number }).id])).toEqual([
      [200, 1],
      [200, 2],
    ]);
  });

  test("a rejected request does not affect the next one on its socket", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const statuses: (number | undefined)[] = [];
    for (const text of [
      rawPost("nonsense"),
      rawPost("{}", { "Content-Type": "text/plain" }),
      rawPost("{}", { Host: "evil.com" }),
      rawPost("{}").replace("POST", "PUT"),
      rawPost(DISCOVER(3), HEADERS),
    ]) {
      const [reply] = await exchange(socket, text);
      statuses.push(reply?.status);
    }
    expect(statuses).toEqual([400, 415, 403, 405, 200]);
  });

  test("a reply is sent in one write with its length", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const chunks: string[] = [];
    socket.on("data", (chunk: Uint8Array) => chunks.push(Buffer.from(chunk).toString()));
    const [reply] = await exchange(socket, rawPost(DISCOVER(1), HEADERS));
    expect(chunks).toHaveLength(1);
    expect(reply?.headers["content-type"]).toBe("application/json");
    expect(Number(reply?.headers["content-length"])).toBe(reply?.body.length);
  });
});
