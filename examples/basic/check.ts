/**
 * @fileoverview Runs the basic server and checks its responses, over HTTP and in memory.
 * @module examples/basic/check
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createClient } from "tenon/testing";
import { createBasicHttpServer } from "./http.js";
import { server } from "./server.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  await checkInMemory();
  await checkOverHttp();
}

async function checkInMemory(): Promise<void> {
  const client = await createClient(server, { context: { user: "ada" } });
  const { content } = await client.callTool("whoami", {});
  assert.deepEqual(content, [{ type: "text", text: "ada" }]);
  const { contents } = await client.readResource("basic://readme");
  assert.equal(contents[0]?.mimeType, "text/markdown");
  await client.close();
}

async function checkOverHttp(): Promise<void> {
  const http = createBasicHttpServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // an object for TCP servers
  const post = (path: string, message: object, headers: Record<string, string> = {}) =>
    fetch(base + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const callTool = (path: string, name: string, args: object, headers?: Record<string, string>) =>
    post(path, { id: 1, method: "tools/call", params: { name, arguments: args } }, headers);
  try {
    const opened = await post("/mcp", {
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-03-26" },
    });
    assert.equal(opened.status, 200);
    const session = opened.headers.get("mcp-session-id") ?? "";
    assert.match(session, /^[0-9a-f-]{36}$/);

    const ping = { id: 1, method: "ping" };
    assert.equal((await post("/mcp", ping, { "mcp-session-id": session })).status, 200);
    const bogus = await post("/mcp", ping, { "mcp-session-id": "bogus" });
    assert.equal(bogus.status, 404);
    assert.match(await bogus.text(), /Send `initialize` to start a new one\./);

    const noted = await post("/mcp", { method: "notifications/initialized" });
    assert.equal(noted.status, 202);
    assert.equal(await noted.text(), "");

    const echoed = (await (await callTool("/mcp", "echo", { text: "hello" })).json()) as object;
    assert.deepEqual(echoed, {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: "hello" }] },
    });

    assert.equal((await callTool("/private/mcp", "whoami", {})).status, 401);
    const known = await callTool("/private/mcp", "whoami", {}, { authorization: "Bearer demo-ada" });
    assert.match(await known.text(), /"text":"ada"/);

    const missing = await callTool("/mcp", "find_contact", { first: "Ada" });
    assert.match(await missing.text(), /"code":-32602,"message":"arguments must satisfy oneOf requirements"/);

    const broken = await fetch(`${base}/mcp`, { method: "POST", body: "{" });
    assert.equal(broken.status, 400);
  } finally {
    http.close();
    http.closeAllConnections();
  }
}
