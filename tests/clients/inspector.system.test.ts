import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Running, serve } from "tenon/node";
import { compileProgram } from "../../tools/compile-program.js";
import { findInspector, type Inspector, type InspectorRun, runInspector } from "../../tools/inspector/run.js";
import { ROOT } from "../../tools/source-files.js";
import { type HttpServing, serveHttp } from "./support/serving.js";
import { createTasksServer } from "../../tools/official-clients/tasks-server.js";

/** Timeout for the first run, which may have to install the Inspector and a Node.js version for it. */
const INSTALL_MS = 500_000;

const HTTP = ["--transport", "http", "--protocol-era"];
const TOOLS = ["echo", "add", "squares", "refuse", "crash", "count", "chatter", "ask", "think", "places"];

describe("the MCP Inspector", { timeout: 120_000 }, () => {
  let inspector: Inspector;
  let serving: HttpServing;
  let tasks: Running;

  beforeAll(async () => {
    inspector = await findInspector();
    if (!inspector.ok) process.stderr.write(`Skipped the MCP Inspector: ${inspector.reason}\n`);
    serving = await serveHttp();
    const transport = { type: "http", port: 0 } as const;
    tasks = await serve(createTasksServer(), { transport, signals: false, graceMs: 500 });
  }, INSTALL_MS);

  beforeEach((ctx) => {
    if (!inspector.ok) ctx.skip(inspector.reason);
  });

  afterAll(async () => {
    await serving.close();
    await tasks.close();
  });

  /** Runs the Inspector against a target, with JSON output. */
  function inspect(...args: readonly string[]): Promise<InspectorRun> {
    if (!inspector.ok) throw new Error(inspector.reason);
    return runInspector(inspector, [...args, "--format", "json"]);
  }

  /** Runs the Inspector over HTTP in a protocol era. */
  const overHttp = (era: string, ...args: readonly string[]) =>
    inspect(serving.endpoint.href, ...HTTP, era, ...args);

  test.each(["legacy", "auto", "modern"])(
    "T49: lists the tools without errors in strict mode (%s)",
    async (era) => {
      const { code, stdout, stderr } = await overHttp(era, "--method", "tools/list", "--strict");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { result } = JSON.parse(stdout) as { result: { tools: readonly { name: string }[] } };
      expect(result.tools.map(({ name }) => name).slice(0, 10)).toEqual(TOOLS);
    },
  );

  test.each(["legacy", "auto", "modern"])("T49: calls a tool (%s)", async (era) => {
    const args = ["--tool-name", "add", "--tool-args-json", '{"a":2,"b":3}'];
    const { code, stdout, stderr } = await overHttp(era, "--method", "tools/call", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const serverInfo = { name: "contract", version: "1.2.3" };
    expect(JSON.parse(stdout)).toEqual({
      result: {
        ...(era === "legacy" ? {} : { _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } }),
        content: [{ type: "text", text: '{"sum":5}' }],
        structuredContent: { sum: 5 },
      },
    });
  });

  test("T49: reports a failed tool with its exit code", async () => {
    const { code, stdout, stderr } = await overHttp(
      "modern",
      "--method",
      "tools/call",
      "--tool-name",
      "refuse",
    );
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      result: { isError: true, content: [{ text: "Not found" }] },
    });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "tool_is_error" } });
  });

  test("T49: reads a resource and gets a prompt", async () => {
    const [read, got] = await Promise.all([
      overHttp("modern", "--method", "resources/read", "--uri", "contract://news"),
      overHttp("legacy", "--method", "prompts/get", "--prompt-name", "pack", "--prompt-args", "city=Riga"),
    ]);
    expect([read.code, got.code]).toEqual([0, 0]);
    expect(JSON.parse(read.stdout)).toMatchObject({
      result: { contents: [{ uri: "contract://news", mimeType: "text/plain", text: "Nothing new ✓" }] },
    });
    const content = { type: "text", text: "What do I pack for some days in Riga?" };
    expect(JSON.parse(got.stdout)).toEqual({ result: { messages: [{ role: "user", content }] } });
  });

  test.each(["legacy", "modern"])("T49: starts a stdio server and calls it (%s)", async (era) => {
    const server = [process.execPath, compileProgram(`${ROOT}/tests/clients/support/fixture.ts`)];
    const method = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hello"];
    const options = ["--transport", "stdio", "--protocol-era", era];
    const { code, stdout, stderr } = await inspect(...server, ...options, ...method);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ type: "text", text: "hello" }] } });
  });

  // The tool returns where it ran.
  const RUN = ["--method", "tools/call", "--tool-name", "run"];

  test.each([
    ["legacy", "in the request"],
    ["auto", "as a task"],
    ["modern", "as a task"],
  ])("prints the result of a tool that can run as a task (%s: %s)", async (era, text) => {
    const { code, stdout, stderr } = await inspect(tasks.url ?? "", ...HTTP, era, ...RUN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ type: "text", text }] } });
  });

  test("prints the results and errors of tools that run only as tasks", async () => {
    const call = (tool: string) =>
      inspect(tasks.url ?? "", ...HTTP, "modern", "--method", "tools/call", "--tool-name", tool);
    const [refused, broken] = await Promise.all([call("refuse"), call("break")]);
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      result: { isError: true, content: [{ text: "Not found" }] },
    });
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stderr)).toMatchObject({ error: { message: "The renderer is offline." } });
  });

  test("prints the result of a task over stdio", async () => {
    const server = [process.execPath, compileProgram(`${ROOT}/tests/clients/support/tasks-fixture.ts`)];
    const { code, stdout, stderr } = await inspect(
      ...server,
      "--transport",
      "stdio",
      "--protocol-era",
      "modern",
      ...RUN,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ type: "text", text: "as a task" }] } });
  });
});
