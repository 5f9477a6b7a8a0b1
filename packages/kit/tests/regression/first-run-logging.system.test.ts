import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";

/** A failing handler under kit's setup functions left no trace for the operator. */

const SOURCE_MAPS = "--enable-source-maps";
const CHILD = fileURLToPath(new URL("../support/regression/failing-child.ts", import.meta.url));

/** Calls the failing tool of a child process, and returns the result and what the child wrote to stderr. */
async function callBoom(kind: string, transport: string, ...rest: readonly string[]) {
  const client = new Client({ name: "client", version: "1.0.0" });
  let errors = "";
  const hear = (chunk: Uint8Array | string) => void (errors += String(chunk));
  if (transport === "stdio") {
    const args = [SOURCE_MAPS, compileProgram(CHILD), kind, transport, ...rest];
    const link = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
    link.stderr?.on("data", hear);
    await client.connect(link);
  } else {
    const child: ChildProcess = fork(compileProgram(CHILD), [kind, transport, ...rest], {
      execArgv: [SOURCE_MAPS],
      silent: true,
    });
    onTestFinished(() => void child.kill());
    child.stderr?.on("data", hear);
    const [port] = (await once(child, "message")) as [number];
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  }
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: "boom", arguments: {} });
  return { result, errors: () => errors };
}

const KINDS = ["facade", "modules on Tenon", "modules on the facade", "modules on the official SDK"];
const CASES = KINDS.flatMap((kind) => ["stdio", "http"].map((transport) => [kind, transport] as const));

describe.each(CASES)("first-run-a1: a failing tool of %s over %s", (kind, transport) => {
  test("is printed to stderr by default, with its stack and without secrets", async () => {
    const { result, errors } = await callBoom(kind, transport);
    expect(result.isError).toBe(true);
    await vi.waitFor(() => expect(errors()).toMatch(/^\S+Z \[tenon\] Tool "boom" failed: Error: kaboom/m));
    await vi.waitFor(() => expect(errors()).toMatch(/ at .*failing-child\.ts/));
    expect(errors()).not.toContain("s3cr3tvalue");
  });

  test("goes to the logger instead if there is one", async () => {
    const { errors } = await callBoom(kind, transport, "logger");
    await vi.waitFor(() => expect(errors()).toMatch(/^error: Tool "boom" failed: Error: kaboom.* at /m));
    expect(errors()).not.toMatch(/\[tenon\]|s3cr3tvalue/);
  });
});
