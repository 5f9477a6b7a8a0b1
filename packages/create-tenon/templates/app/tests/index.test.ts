/**
 * @fileoverview Tests the program as a process: stdio clients, signals, and invalid configuration.
 * @module tests/index.test
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { OFFICIAL_CLIENTS } from "./support/officialClients.js";
import { INITIALIZE } from "./support/serving.js";

const PROGRAM = {
  command: process.execPath,
  args: ["--import", "tsx", "src/index.ts"],
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  // Environment variables take precedence over your own .env file.
  env: {
    PATH: process.env["PATH"] ?? "",
    MCP_TRANSPORT_TYPE: "stdio",
    MCP_LOG_LEVEL: "debug",
    LOGS_DIR: "",
  },
};

/** Starts the program. It is stopped after the test. */
function start(environment: Readonly<Record<string, string>>) {
  const { command, args, cwd, env } = PROGRAM;
  const child = spawn(command, args, { cwd, env: { ...env, ...environment } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, exit: once(child, "exit").then(([code]) => code as number | null) };
}

describe("the program", { timeout: 30_000 }, () => {
  it.each(OFFICIAL_CLIENTS)("serves the official client %s over stdio", async (_, connect) => {
    const client = await connect(PROGRAM);
    const result = await client.callTool({ name: "echo_message", arguments: { message: "hi" } });
    expect(result.structuredContent).toMatchObject({ originalMessage: "hi" });
  });

  it("writes only protocol messages to stdout, and exits when stdin closes", async () => {
    const { child, exit } = start({});
    child.stdin.end(`${JSON.stringify(INITIALIZE)}\nnonsense\n`);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const replies = stdout.trimEnd().split("\n");
    expect(replies.map((line): unknown => JSON.parse(line))).toMatchObject([
      { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-11-25" } },
      { jsonrpc: "2.0", error: { code: -32700 } },
    ]);
    expect(stderr).toContain("Tool 'echo_message' registered successfully.");
    expect(await exit).toBe(0);
  });

  it("shuts down gracefully on SIGTERM", async () => {
    const { child, exit } = start({ MCP_TRANSPORT_TYPE: "http", MCP_HTTP_PORT: "0" });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes("Application started")) child.kill("SIGTERM");
    }
    expect(await exit).toBe(0);
    expect(lines.at(-1)).toContain("Shutdown complete");
  });

  it("does not start with an invalid configuration, and prints no secret", async () => {
    const { child, exit } = start({
      MCP_AUTH_MODE: "jwt",
      MCP_AUTH_SECRET_KEY: "too-short-a-secret",
      MCP_HTTP_PORT: "x",
    });
    const told = await text(child.stderr);
    expect(await exit).toBe(1);
    expect(told).toContain("MCP_HTTP_PORT must be an integer from 0 to 65535");
    expect(told).toContain("MCP_AUTH_SECRET_KEY");
    expect(told).not.toContain("too-short-a-secret");
  });
});
