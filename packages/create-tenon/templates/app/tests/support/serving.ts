/**
 * @fileoverview Serves the real server on a free loopback port, and sends plain requests to it.
 * @module tests/support/serving
 */
import type { McpServer as SdkMcpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { serveOnFreePort, standard, toCoreLog } from "@tenon/app";
import { McpServer } from "@tenon/sdk";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/index.js";
import { createMcpServer } from "../../src/mcp-server/server.js";
import { logger } from "../../src/utils/index.js";

/** Creates a server without tools. Register functions for Tenon's and for the official SDK's server accept it. */
export function createTestServer() {
  const server = new McpServer(
    { name: "test", version: "1.0.0" },
    { exposeErrors: false, log: toCoreLog(logger) },
  );
  return server.use(standard()) as McpServer & SdkMcpServer;
}

/** Serves over HTTP until the end of the test. */
export async function serveForTest(environment: Readonly<Record<string, string>> = {}) {
  const settings = loadConfig({
    NODE_ENV: "test",
    MCP_TRANSPORT_TYPE: "http",
    MCP_HTTP_PORT: "0",
    ...environment,
  });
  const server = await createMcpServer(settings);
  const running = await serveOnFreePort(server.build(), settings, { signals: false, graceMs: 20 });
  onTestFinished(() => running.close());
  return { server, url: new URL(running.url ?? "") };
}

/** Headers for every request. */
export const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** A valid `initialize` request. */
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  },
};

/** Posts a body. Strings are sent unchanged, other values as JSON. */
export function post(url: URL, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Opens a session and returns its session ID header. */
export async function openSession(url: URL): Promise<{ readonly "mcp-session-id": string }> {
  const response = await post(url, INITIALIZE);
  const session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return session;
}

/** Creates a request that calls the echo tool. */
export function echoCall(id: number, message: unknown) {
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "echo_message", arguments: { message } },
  };
}
