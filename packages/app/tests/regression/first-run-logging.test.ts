import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import { createTool } from "../../../tenon/src/grouped/index.js";
import { createClient } from "../../../tenon/src/testing/index.js";
import { ROOT } from "../../../../tools/source-files.js";
import {
  createErrorHandler,
  createLogger,
  loadAppConfig,
  type LogRecord,
  requestContextService,
  standard,
  toCoreLog,
} from "../../src/index.js";
import { createAppLogger } from "../../src/logging/logger.js";
import { z } from "zod";

/** Log lines outside of calls had no request context, and rejected calls were not logged. */

async function setUp(level = "debug") {
  const records: LogRecord[] = [];
  const logger = await createLogger({
    level,
    destination: { write: () => true },
    sinks: [{ level: "debug", write: (record) => records.push(record) }],
  });
  return { logger, records };
}

const HAS_CONTEXT = { requestId: expect.stringMatching(/^[\da-f-]{36}$/), timestamp: expect.any(String) };

describe("first-run-d2: `LOG_LEVEL`", () => {
  test.each([
    [{ LOG_LEVEL: "warn" }, "warning"],
    [{ LOG_LEVEL: "WARNING" }, "warning"],
    [{ LOG_LEVEL: "fatal" }, "emerg"],
    [{ MCP_LOG_LEVEL: "warn" }, "warning"],
    [{ MCP_LOG_LEVEL: "error", LOG_LEVEL: "debug" }, "error"],
    [{ MCP_LOG_LEVEL: "", LOG_LEVEL: "notice" }, "notice"],
    [{ LOG_LEVEL: "", NODE_ENV: "production" }, "info"],
  ])("%j sets the level to %s", (env, level) => {
    expect(loadAppConfig(env).logLevel).toBe(level);
  });

  test("an invalid value is reported under the name that was set", () => {
    expect(() => loadAppConfig({ LOG_LEVEL: "loud" })).toThrow(
      'LOG_LEVEL must be one of debug, info, notice, warning, error, crit, alert, emerg; got "loud".',
    );
  });
});

describe("first-run-d2: server events", () => {
  test("each entry has a request context with its operation and name", async () => {
    const { logger, records } = await setUp();
    const log = toCoreLog(logger);
    const error = new Error("boom");
    log({ level: "info", event: "initialize", client: "probe/1.0", revision: "x" });
    log({ level: "error", event: "notify-failed", operation: "tools/call", name: "echo", error });
    log({ level: "error", event: "output-invalid", operation: "resources/read", name: "page", error });
    expect(records.map(({ context }) => context)).toMatchObject([
      { ...HAS_CONTEXT, operation: "initialize" },
      { ...HAS_CONTEXT, operation: "tools/call", toolName: "echo" },
      { ...HAS_CONTEXT, operation: "resources/read", resourceName: "page" },
    ]);
  });

  test("a call that its input schema rejects is logged at `info` with the reason", async () => {
    const { logger, records } = await setUp();
    toCoreLog(logger)({
      level: "info",
      event: "arguments-rejected",
      operation: "tools/call",
      name: "echo",
      message: "message: Invalid input: expected string, received undefined; password=hunter22",
    });
    expect(records).toMatchObject([
      {
        level: "info",
        message: "tools/call echo was rejected: its arguments do not match the input schema.",
        context: { ...HAS_CONTEXT, operation: "tools/call", toolName: "echo" },
        data: { reason: expect.stringContaining("expected string, received undefined") },
      },
    ]);
    expect(JSON.stringify(records)).not.toContain("hunter22");
  });

  test("a rejected call reaches the log of a real server", async () => {
    const { logger, records } = await setUp();
    const server = defineServer({ name: "a", version: "1.0.0", log: toCoreLog(logger) })
      .use(standard({ logger }))
      .tool("echo", { input: z.object({ message: z.string() }), handler: ({ message }) => message });
    const client = await createClient(server.build());
    await client.callTool("echo", {} as never).catch(() => undefined);
    expect(records).toContainEqual(
      expect.objectContaining({
        level: "info",
        message: "tools/call echo was rejected: its arguments do not match the input schema.",
      }),
    );
    for (const { context } of records) expect(context).toMatchObject(HAS_CONTEXT);
  });

  test("a failed handler is logged once with `standard()`, and once without it", async () => {
    for (const isStandard of [true, false]) {
      const { logger, records } = await setUp();
      const plain = defineServer({ name: "a", version: "1.0.0", log: toCoreLog(logger) });
      const server = (isStandard ? plain.use(standard({ logger })) : plain).tool("boom", {
        handler: () => {
          throw new Error("kaboom");
        },
      });
      const client = await createClient(server.build());
      await client.callTool("boom", {}).catch(() => undefined);
      const failures = records.filter(({ level }) => level === "error");
      expect(failures).toMatchObject([
        {
          message: "tools/call boom failed.",
          context: { ...HAS_CONTEXT, operation: "tools/call", toolName: "boom" },
          data: { error: { message: "kaboom" } },
        },
      ]);
    }
  });

  test("a rejected call of a grouped tool is logged once", async () => {
    const { logger, records } = await setUp("info");
    const notes = createTool("notes").action({
      name: "add",
      schema: z.object({ text: z.string() }),
      handler: () => "added",
    });
    const server = defineServer({ name: "a", version: "1.0.0", log: toCoreLog(logger) })
      .use(standard({ logger }))
      .tools(notes);
    const client = await createClient(server.build());
    await client.callTool("notes", { action: "add" });
    expect(records.filter(({ level }) => level !== "debug")).toMatchObject([
      { level: "info", message: "Client connected." },
      { level: "info", message: expect.stringContaining("tools/call notes was rejected") },
    ]);
  });

  test("a failed completion is logged, because `standard()` does not see it", async () => {
    const { logger, records } = await setUp();
    const error = new Error("no completer");
    toCoreLog(logger)({
      level: "error",
      event: "handler-failed",
      operation: "completion/complete",
      name: "city",
      error,
    });
    expect(records).toMatchObject([{ level: "error", message: "completion/complete city failed." }]);
  });
});

test("first-run-d2: an error that is handled outside of a request is logged with a request context", async () => {
  const { logger, records } = await setUp();
  const handler = createErrorHandler({ logger });
  handler.handleError(new Error("no disk"), { operation: "NightlySync" });
  requestContextService.run(requestContextService.createRequestContext({ operation: "Sync" }), () =>
    handler.handleError(new Error("no disk"), { operation: "NightlySync" }),
  );
  expect(records.map(({ context }) => context)).toMatchObject([
    { ...HAS_CONTEXT, operation: "NightlySync" },
    { ...HAS_CONTEXT, operation: "Sync" },
  ]);
});

describe("first-run-d2: the application logger", () => {
  test("gives lines outside of a request the application's context, with one ID per process", async () => {
    const logger = createAppLogger();
    const records: LogRecord[] = [];
    await logger.initialize("debug", {
      destination: { write: () => true },
      sinks: [{ write: (record) => records.push(record) }],
    });
    logger.info("one");
    logger.child({ part: "billing" }).warn("two");
    logger.warning("three", { requestId: "own" });
    const contexts = records.map(({ context }) => context as Readonly<Record<string, unknown>>);
    expect(contexts).toMatchObject([
      { ...HAS_CONTEXT, operation: "Application" },
      { ...HAS_CONTEXT, operation: "Application", part: "billing" },
      { requestId: "own" },
    ]);
    expect(contexts[1]?.["requestId"]).toBe(contexts[0]?.["requestId"]);
    expect(contexts[2]).toEqual({ requestId: "own" });
  });
});

/** An application that skips a registration, serves over stdio, and ends when its client disconnects. */
const PROGRAM = `
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { z } from "zod";
import { logger, registerAll, runApplication, standard, toCoreLog } from "./packages/app/src/index.js";
const server = defineServer({ name: "a", version: "1.0.0", log: toCoreLog(logger) })
  .use(standard())
  .tool("echo", { input: z.object({ message: z.string() }), handler: ({ message }) => message });
await runApplication({
  logger,
  initializeLogger: () => logger.initialize("debug"),
  start: async () => {
    const register = () => Promise.reject(new Error("not configured"));
    await registerAll([{ name: "extra", register, critical: false }], { logger });
    return serve(server, { transport: { type: "stdio" }, signals: false });
  },
});`;

test("first-run-d2: every line of a running application has a request context, from start to shutdown", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", PROGRAM], {
    cwd: ROOT,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "close");
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const clientInfo = { name: "probe", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: {} } },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "echo", arguments: { message: "hi" } } },
  ];
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as { readonly id: number }).id === 3) child.stdin.end();
  }
  expect((await exit)[0], lines.join("\n")).toBe(0);
  const records = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogRecord);
  expect(records.map(({ message }) => message)).toEqual([
    'Could not register "extra". It was skipped.',
    "Application started.",
    "Client connected.",
    "tools/call echo was rejected: its arguments do not match the input schema.",
    "tools/call echo succeeded.",
    "Application ended; shutting down.",
    "Shutdown complete.",
  ]);
  for (const { message, context } of records) expect(context, message).toMatchObject(HAS_CONTEXT);
  expect(records.at(-1)?.context).toMatchObject({ operation: "StopApplication" });
  expect(records.at(-1)?.context).toEqual(records.at(-2)?.context);
}, 60_000);
