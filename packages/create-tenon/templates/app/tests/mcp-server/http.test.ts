/**
 * @fileoverview Tests the server over HTTP: sessions, event streams, and malformed requests.
 * @module tests/mcp-server/http.test
 */
import { describe, expect, it } from "vitest";
import { OFFICIAL_CLIENTS } from "../support/officialClients.js";
import {
  echoCall,
  INITIALIZE,
  JSON_HEADERS,
  openSession,
  post,
  serveForTest,
} from "../support/serving.js";

const METHOD_LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe.each(OFFICIAL_CLIENTS)("over HTTP, the official client %s", (_, connect) => {
  it("connects, lists tools, calls one, and disconnects", async () => {
    const client = await connect((await serveForTest()).url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("echo_message");
    const result = await client.callTool({ name: "echo_message", arguments: { message: "hi" } });
    expect(result.isError ?? false).toBe(false);
    await client.close();
  });

  it("gets its own responses while other clients are connected", async () => {
    const { url } = await serveForTest();
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(url)));
    const answers = await Promise.all(
      clients.map((client, index) =>
        client.callTool({ name: "echo_message", arguments: { message: `from ${index}` } }),
      ),
    );
    expect(answers.map(({ structuredContent }) => structuredContent)).toMatchObject(
      clients.map((_, index) => ({ originalMessage: `from ${index}` })),
    );
  });
});

describe("a session", () => {
  it("exists from initialize to DELETE", async () => {
    const { url } = await serveForTest();
    const session = await openSession(url);
    expect(session["mcp-session-id"]).not.toBe("");
    for (const id of [2, 3]) {
      const response = await post(url, echoCall(id, "hi"), session);
      expect(await response.json()).toMatchObject({ id, result: { structuredContent: {} } });
    }
    expect((await fetch(url, { method: "DELETE", headers: session })).ok).toBe(true);
    expect((await post(url, METHOD_LIST, session)).status).toBe(404);
  });

  it("is independent of other sessions", async () => {
    const { url } = await serveForTest();
    const [one, other] = [await openSession(url), await openSession(url)];
    expect(one).not.toEqual(other);
    await fetch(url, { method: "DELETE", headers: one });
    expect((await post(url, METHOD_LIST, other)).status).toBe(200);
  });

  it("is not found if its ID is unknown", async () => {
    const { url } = await serveForTest();
    const response = await post(url, METHOD_LIST, { "mcp-session-id": crypto.randomUUID() });
    expect(response.status).toBe(404);
  });
});

describe("an event stream", () => {
  it("delivers progress before the result", async () => {
    const { server, url } = await serveForTest();
    server.registerTool("count", {}, async (extra) => {
      const { progressToken = "none" } = extra._meta ?? {};
      const params = { progressToken, progress: 1, total: 2 };
      await extra.sendNotification({ method: "notifications/progress", params });
      return { content: [{ type: "text", text: "counted" }] };
    });
    const call = { name: "count", arguments: {}, _meta: { progressToken: "p" } };
    const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params: call };
    const response = await post(url, message, await openSession(url));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(eventsOf(await response.text())).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "p", progress: 1 } },
      { id: 2, result: { content: [{ text: "counted" }] } },
    ]);
  });

  it("notifies a session about a new tool", async () => {
    const { server, url } = await serveForTest();
    const session = await openSession(url);
    const stream = await fetch(url, { headers: { ...session, accept: "text/event-stream" } });
    server.registerTool("late", {}, () => ({ content: [] }));
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("notifications/tools/list_changed")) break;
    }
    expect(text).toContain("notifications/tools/list_changed");
  });
});

describe("JSON-RPC 2.0", () => {
  it.each([
    ["invalid JSON", "{", 400, -32700],
    ["a different version", { ...METHOD_LIST, jsonrpc: "1.0" }, 400, -32600],
    ["no method", { jsonrpc: "2.0", id: 2 }, 400, -32600],
    ["an unknown method", { ...METHOD_LIST, method: "tools/explode" }, 200, -32601],
    ["invalid params", { ...METHOD_LIST, method: "tools/call", params: {} }, 200, -32602],
  ])("responds to %s with the correct error code", async (_, body, status, code) => {
    const { url } = await serveForTest();
    const response = await post(url, body, await openSession(url));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  it("responds to a request with its ID, and to a notification with an empty body", async () => {
    const { url } = await serveForTest();
    const session = await openSession(url);
    const reply = await post(url, { ...METHOD_LIST, id: "seven" }, session);
    expect(await reply.json()).toMatchObject({ jsonrpc: "2.0", id: "seven", result: {} });
    const silence = await post(url, { jsonrpc: "2.0", method: "notifications/cancelled" }, session);
    expect([silence.status, await silence.text()]).toEqual([202, ""]);
  });

  it("rejects other content types, Accept headers, and methods", async () => {
    const { url } = await serveForTest();
    const wrongType = { "content-type": "text/plain" };
    expect((await post(url, INITIALIZE, wrongType)).status).toBe(415);
    expect((await post(url, INITIALIZE, { accept: "image/png" })).status).toBe(406);
    expect((await fetch(url, { method: "PUT", headers: JSON_HEADERS })).status).toBe(405);
  });
});

/** Returns the messages in an event stream. Events without data are skipped. */
function eventsOf(stream: string): readonly unknown[] {
  return [...stream.matchAll(/^data: ?(.+)$/gm)].map(([, data = ""]): unknown => JSON.parse(data));
}
