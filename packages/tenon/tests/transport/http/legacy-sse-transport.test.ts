import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import { form } from "../../../src/core/call/forms.js";
import type { JsonObject } from "@tenon/internal/json";
import { serve } from "../../../src/transport/node/serve.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { type EventReader, readEvents } from "../../../../../tests/support/http-events.js";
import { type Endpoint, FACES, post, read, SHARED, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

const setUp = () => {
  const seen = { started: 0, aborted: 0 };
  const server = defineServer({ name: "old", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("wait", {
      handler: (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        return new Promise<string>(() => {});
      },
    })
    .tool("ask", {
      handler: async (_, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Hello ${answer.content.name}` : "Never mind";
      },
    })
    .build();
  return { server, seen };
};

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const refusal = (message: string) => ({ jsonrpc: "2.0", id: null, error: { code: -32600, message } });

interface OldClient {
  readonly path: string;
  readonly events: EventReader;
  send(body: unknown): Promise<Response>;
}

/** Opens a stream as an HTTP+SSE client does. */
async function open(endpoint: Endpoint, base = "", headers: Record<string, string> = {}): Promise<OldClient> {
  const response = await endpoint.fetch({ method: "GET", headers }, `${base}/sse`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = readEvents(response);
  const first = await events.next();
  expect(first?.event).toBe("endpoint");
  const path = first?.data ?? "";
  return { path, events, send: (body) => endpoint.fetch(post(body, headers), path) };
}

const initialize = async (client: OldClient, revision = "2024-11-05", capabilities: JsonObject = {}) => {
  expect((await client.send(initializeBody(revision, capabilities))).status).toBe(202);
  expect(await client.events.message()).toMatchObject({ id: "init", result: { protocolVersion: revision } });
};

describe.each([...FACES, SHARED])("the HTTP+SSE transport on $name", (face) => {
  const start = (server: ReturnType<typeof setUp>["server"]) => face.open(server, { legacySse: true });

  test("announces the POST URL and replies on the stream", async () => {
    const { server } = setUp();
    const client = await open(await start(server));
    expect(client.path).toMatch(/^\/messages\?sessionId=[\w-]{32}$/);
    await initialize(client);
    expect((await client.send({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
    const posted = await client.send(request("tools/call", { name: "echo", arguments: { text: "hi" } }, 7));
    expect(posted.status).toBe(202);
    expect(await posted.text()).toBe("");
    expect(await client.events.message()).toEqual({ jsonrpc: "2.0", id: 7, result: text("hi") });
    await client.events.cut();
  });

  test("uses paths next to the endpoint's path", async () => {
    const { server } = setUp();
    const client = await open(await start(server), "/deep/down");
    expect(client.path).toMatch(/^\/deep\/down\/messages\?sessionId=/);
    await initialize(client);
    await client.events.cut();
  });

  test("carries requests to the client and notifications", async () => {
    const { server } = setUp();
    const client = await open(await start(server));
    await initialize(client, "2025-06-18", { elicitation: {} });
    await client.send(request("tools/call", { name: "ask", arguments: {} }, 2));
    const question = await client.events.message();
    expect(question).toMatchObject({ method: "elicitation/create", params: { message: "Who are you?" } });
    const answer = { action: "accept", content: { name: "Ada" } };
    expect((await client.send({ jsonrpc: "2.0", id: question["id"], result: answer })).status).toBe(202);
    expect(await client.events.message()).toEqual({ jsonrpc: "2.0", id: 2, result: text("Hello Ada") });
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    expect(await client.events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    await client.events.cut();
  });

  test("ends the session and its calls with the stream", async () => {
    const { server, seen } = setUp();
    const client = await open(await start(server));
    await initialize(client);
    const posted = await client.send(request("tools/call", { name: "wait", arguments: {} }, 3));
    expect(posted.status).toBe(202);
    await until(() => seen.started === 1);
    await client.events.cut();
    await until(() => seen.aborted === 1);
    expect(await read(await client.send(request("ping")))).toEqual({
      status: 404,
      body: refusal("Session not found. Send GET /sse to open a new session."),
    });
  });

  test("sends keep-alives while the stream is open", async () => {
    const { server } = setUp();
    const clock = createClock();
    const client = await open(await face.open(server, { legacySse: true, ports: clock.ports }));
    clock.advance(15_000);
    expect(await client.events.next()).toEqual({ comment: "keep-alive" });
    await client.events.cut();
    await until(() => clock.timers === 1, "the end of keep-alives");
  });

  test.each(["", "?sessionId=", "?sessionId=unknown", "?other=1"])(
    "responds with 404 to a POST to /messages%s",
    async (query) => {
      const { server } = setUp();
      const endpoint = await start(server);
      const { status } = await read(await endpoint.fetch(post(request("ping")), `/messages${query}`));
      expect(status).toBe(404);
    },
  );

  test("applies the same checks to POST requests", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { legacySse: true, limits: { maxBytes: 500 } });
    const client = await open(endpoint);
    const plain = await endpoint.fetch(post("{}", { "content-type": "text/plain" }), client.path);
    expect(plain.status).toBe(415);
    const large = await endpoint.fetch(post(" ".repeat(501)), client.path);
    expect(large.status).toBe(413);
    const foreign = await endpoint.fetch(post("{}", { origin: "http://evil.com" }), client.path);
    expect(foreign.status).toBe(403);
    expect((await client.send("nonsense")).status).toBe(202);
    expect(await client.events.message()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700, message: "The message is not valid JSON." },
    });
    await client.events.cut();
  });

  test("restricts a session to the principal that opened it", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, {
      legacySse: true,
      authenticate: ({ header }) => ({ auth: { principal: header("x-user") ?? "", scopes: [] } }),
    });
    const ada = await open(endpoint, "", { "x-user": "ada" });
    const stolen = await endpoint.fetch(post(request("ping"), { "x-user": "eve" }), ada.path);
    expect(stolen.status).toBe(404);
    expect((await ada.send(request("ping"))).status).toBe(202);
    await ada.events.cut();
  });

  test("responds with 503 at the session limit", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { legacySse: true, sessions: { maxSessions: 1 } });
    const client = await open(endpoint);
    const refused = await endpoint.fetch({ method: "GET" }, "/sse");
    expect(await read(refused)).toEqual({
      status: 503,
      body: refusal("Session limit reached (1). Raise `maxSessions` or close idle sessions."),
    });
    await client.events.cut();
  });

  test("works alongside Streamable HTTP", async () => {
    const { server } = setUp();
    const endpoint = await start(server);
    expect((await endpoint.fetch(post(initializeBody()))).headers.get("mcp-session-id")).not.toBeNull();
  });
});

describe("serve", () => {
  test.each([
    [undefined, 404],
    [true, 200],
  ])("with legacySse %s, /sse responds with %i", async (legacySse, status) => {
    const { server } = setUp();
    const running = await serve(server, {
      transport: { type: "http", port: 0 },
      signals: false,
      graceMs: 100,
      ...(legacySse === undefined ? {} : { legacySse }),
    });
    const response = await fetch(new URL("/sse", running.url), { headers: { accept: "text/event-stream" } });
    expect(response.status).toBe(status);
    await response.body?.cancel();
    const posted = await fetch(new URL("/messages?sessionId=x", running.url), post("{}"));
    expect(posted.status).toBe(404);
    await running.close();
  });
});
