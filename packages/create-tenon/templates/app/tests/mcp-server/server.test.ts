/**
 * @fileoverview Tests the server as a whole: registration, tracing, startup, and shutdown.
 * @module tests/mcp-server/server.test
 */
import { createClient } from "tenon/testing";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.js";
import { createMcpServer, initializeAndStartServer } from "../../src/mcp-server/server.js";
import { logged } from "../support/log.js";

describe("the server", () => {
  it("offers every tool and resource", async () => {
    const client = await createClient((await createMcpServer()).build());
    expect((await client.listTools()).map(({ name }) => name)).toEqual([
      "echo_message",
      "get_temperature",
      "save_note",
      "search_notes",
    ]);
    expect((await client.listResourceTemplates()).map(({ name }) => name)).toEqual(["echo"]);
  });

  it("traces a call from the request to the logic", async () => {
    const client = await createClient((await createMcpServer()).build());
    logged.length = 0;
    await client.callTool("echo_message", { message: "hi" });
    const contexts = logged.map(({ context }) => context as Readonly<Record<string, unknown>>);
    expect(contexts.length).toBeGreaterThan(2);
    for (const context of contexts) expect(context["requestId"]).toEqual(expect.any(String));
    expect(contexts[0]).toMatchObject({ operation: "HandleToolRequest", toolName: "echo_message" });
  });

  it("starts on the next port if one is in use, and stops", async () => {
    const http = { NODE_ENV: "test", MCP_TRANSPORT_TYPE: "http" };
    const first = await initializeAndStartServer(loadConfig({ ...http, MCP_HTTP_PORT: "0" }));
    const { port } = new URL(first.url ?? "");
    const second = await initializeAndStartServer(loadConfig({ ...http, MCP_HTTP_PORT: port }));
    expect(Number(new URL(second.url ?? "").port)).toBeGreaterThan(Number(port));
    expect((await fetch(new URL("/healthz", second.url))).status).toBe(200);
    await Promise.all([first.close(), second.close()]);
    await expect(fetch(new URL("/healthz", second.url))).rejects.toThrow();
  });
});
