import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { fixtures, programFile, startTenon, tenonInProcess } from "../../../../tests/support/program.js";

const ME = { name: "test", version: "1.0.0" };

test.each(["2025-11-25", "2026-07-28"])(
  "first-run-a1: `call` on a file shows the message of a failing handler and its causes (%s)",
  async (revision) => {
    const ended = await tenonInProcess(["call", "boom", "--server", "shop.mjs", "--revision", revision]);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(
      /^Tool boom failed\nCause: kaboom \(shop\.mjs:\d+:\d+\)\.\nCaused by: the oven is cold \(shop\.mjs:\d+:\d+\)\.\n$/,
    );
  },
);

test.each([
  ["circular", /Cause: .*circular structure/],
  ["nested", /Cause: Form field "deep" must be a string, number, boolean, or choice/],
])("first-run-a1: `call` on a file explains the failure of %s", async (tool, cause) => {
  const { code, stderr } = await tenonInProcess(["call", tool, "--server", "shop.mjs", "--answer", "accept"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(cause);
  expect(stderr).not.toMatch(/^ +at /m);
});

test("first-run-a1: `call --verbose` adds the stack trace", async () => {
  const { stderr } = await tenonInProcess(["call", "boom", "--verbose", "--server", "shop.mjs"]);
  expect(stderr).toMatch(/^ +at .*shop\.mjs:\d+:\d+/m);
});

test("first-run-a1: `run` over stdio prints a handler's failure to stderr", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programFile("tenon"), "run", "shop.mjs"],
    cwd: fixtures(),
    stderr: "pipe",
  });
  let printed = "";
  transport.stderr?.on("data", (chunk) => (printed += String(chunk)));
  const client = new Client(ME);
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect((await client.callTool({ name: "boom" })).isError).toBe(true);
  await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/boom.*kaboom[^]*shop\.mjs:\d+/);
});

test("first-run-a1: `run --port` prints a handler's failure to stderr", async () => {
  const child = startTenon(["run", "shop.mjs", "--port", "0"]);
  onTestFinished(() => void child.kill());
  let printed = "";
  let url: string | undefined;
  createInterface({ input: child.stderr }).on("line", (line) => {
    printed += `${line}\n`;
    url ??= /http:\S+/.exec(line)?.[0];
  });
  await expect.poll(() => url, { timeout: 30_000 }).toBeDefined();
  const client = new Client(ME);
  await client.connect(new StreamableHTTPClientTransport(new URL(url ?? "")));
  onTestFinished(() => client.close());
  expect((await client.callTool({ name: "boom" })).isError).toBe(true);
  await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/boom.*kaboom[^]*shop\.mjs:\d+/);
});
