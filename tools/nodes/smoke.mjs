/**
 * @fileoverview Smoke test of the built package on the Node.js that runs it: the testing client, a child process on
 * stdio, and HTTP in both eras. Prints the responses as one line of JSON.
 * @module tools/nodes/smoke
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "../../packages/tenon/dist/client/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";
import { server } from "./smoke-server.mjs";

const CALL = { name: "hello", arguments: { name: "Tenon" } };
const OPENING = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "smoke", version: "1.0.0" },
};

const seen = {
  memory: await inMemory(),
  stdio: await onStdio(),
  http: await onHttp(),
};
process.stdout.write(`${JSON.stringify({ version: process.versions.node, ...seen })}\n`);

async function inMemory() {
  const client = await createClient(server, { revision: "2026-07-28" });
  const { structuredContent } = await client.callTool(CALL.name, CALL.arguments);
  await client.close();
  return structuredContent;
}

async function onStdio() {
  const child = spawn(process.execPath, [fileURLToPath(new URL("smoke-server.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { value } = await lines.next();
    return JSON.parse(value);
  };
  const opened = await ask(1, "initialize", OPENING);
  const called = await ask(2, "tools/call", CALL);
  child.stdin.end();
  const [code] = await exit;
  return { opened, called, code };
}

async function onHttp() {
  const running = await serve(server, {
    transport: { type: "http", port: 0 },
    signals: false,
    graceMs: 1_000,
  });
  const post = async (headers, message) => {
    const response = await fetch(running.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    return { session: response.headers.get("mcp-session-id"), reply: await response.json() };
  };
  const { session } = await post({}, { id: 1, method: "initialize", params: OPENING });
  const legacy = await post({ "mcp-session-id": session }, { id: 2, method: "tools/call", params: CALL });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = await post(
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": CALL.name },
    { id: 3, method: "tools/call", params: { ...CALL, _meta } },
  );
  await running.close();
  return { legacy: legacy.reply, modern: modern.reply };
}
