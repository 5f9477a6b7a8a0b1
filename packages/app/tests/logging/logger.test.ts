import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileModules } from "../../../../tools/compile-program.js";
import { createRequestContextService } from "../../src/context/request-context-service.js";
import { createAppLogger, createLogger, type LoggerOptions } from "../../src/logging/logger.js";
import { LOGGER_LEVELS, readLoggerLevel, toMcpLevel } from "../../src/logging/levels.js";
import { markReported } from "../../src/logging/reported.js";
import type { LogRecord } from "../../src/logging/log-writer.js";
import { createPinoWriter } from "../../src/logging/pino-writer.js";
import { toCoreLog } from "../../src/logging/core-log.js";
import type { Logger } from "tenon";
import { isLogLevel } from "tenon/protocol";
import { ROOT } from "../../../../tools/source-files.js";

async function setUp(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = await createLogger({
    destination: { write: (line) => lines.push(line) },
    ports: { now: () => 0 },
    ...options,
  });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as LogRecord) };
}

/** Runs a script against the source, in a child process. */
function run(script: string) {
  const app = compileModules(`${ROOT}/packages/app/src/logging/logger.ts`);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `import { createLogger, logger } from ${JSON.stringify(app)};\n${script}`],
    { cwd: ROOT, encoding: "utf8", timeout: 60_000 },
  );
  return { stdout, status, lines: stderr.split("\n").filter((line) => line !== "") };
}

describe("levels", () => {
  test("has eight levels, each with an MCP name", () => {
    expect(LOGGER_LEVELS).toHaveLength(8);
    expect(LOGGER_LEVELS.map(toMcpLevel).every(isLogLevel)).toBe(true);
    expect([toMcpLevel("crit"), toMcpLevel("emerg")]).toEqual(["critical", "emergency"]);
  });

  test.each([
    ["CRITICAL", "crit"],
    ["emergency", "emerg"],
    ["fatal", "emerg"],
    ["warn", "warning"],
    ["loud", undefined],
    [7, undefined],
  ])("%j is %j", (name, level) => expect(readLoggerLevel(name)).toBe(level));

  test.each(LOGGER_LEVELS.map((level, index) => [level, index] as const))(
    "at %s a logger writes entries of the same or higher severity",
    async (level, index) => {
      const { logger, records } = await setUp({ level });
      for (const one of LOGGER_LEVELS) logger[one](one);
      logger.fatal("fatal");
      expect(records().map(({ message }) => message)).toEqual([...LOGGER_LEVELS.slice(index), "fatal"]);
      expect(records().at(-1)?.level).toBe("emerg");
      expect(LOGGER_LEVELS.map((one) => logger.isLevelEnabled(one)).indexOf(true)).toBe(index);
    },
  );

  test("`warn` writes at the level `warning`, as tenon's `Logger` requires", async () => {
    const { logger, records } = await setUp();
    const narrow: Logger = logger;
    narrow.warn("disk almost full");
    expect(records()).toMatchObject([{ level: "warning", message: "disk almost full" }]);
  });

  test("setLevel also applies to children, and ignores unknown levels", async () => {
    const { logger, records } = await setUp();
    const child = logger.child({ part: "billing" });
    logger.setLevel("debug");
    child.debug("one");
    logger.setLevel("nonsense");
    child.debug("two");
    expect(records().map(({ message }) => message)).toEqual(["one", "two"]);
  });
});

describe("an entry", () => {
  const service = createRequestContextService({ ports: { now: () => 0 } });

  test("T4: is one line of JSON with its level, time, message, context, and data", async () => {
    const { logger, lines } = await setUp();
    logger.notice("Invoice sent", { requestId: "r1", toolName: "send" }, { invoice: 42 });
    expect(lines).toEqual([
      '{"level":"notice","time":"1970-01-01T00:00:00.000Z","context":{"requestId":"r1","toolName":"send"},"data":{"invoice":42},"message":"Invoice sent"}\n',
    ]);
  });

  test("T4: has the current request's context unless a context with an ID is passed", async () => {
    const { logger, records } = await setUp();
    const context = service.createRequestContext({ operation: "sync" });
    await service.run(context, async () => {
      await Promise.resolve();
      logger.info("plain");
      logger.info("with members", { port: 80 });
      logger.info("with its own", { requestId: "other" });
    });
    logger.info("outside");
    const [plain, members, own, outside] = records().map((record) => record.context);
    expect(plain).toEqual(context);
    expect(members).toEqual({ ...context, port: 80 });
    expect(own).toEqual({ requestId: "other" });
    expect(outside).toBeUndefined();
  });

  test("of a child logger has the child's members", async () => {
    const { logger, records } = await setUp();
    logger.child({ part: "billing" }).child({ token: "hunter22" }).info("x", { requestId: "r" });
    expect(records()[0]?.context).toEqual({ part: "billing", token: "[REDACTED]", requestId: "r" });
  });

  test("an error passed as the context becomes data", async () => {
    const { logger, records } = await setUp();
    logger.error("failed", new Error("boom"));
    expect(records()[0]?.data).toMatchObject({ error: { name: "Error", message: "boom" } });
  });

  test("stays on one line in the pretty format", async () => {
    const { logger, lines } = await setUp({ format: "pretty" });
    logger.info("first\n[00:00] ERROR: forged\u001b[2J");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).toBe("[1970-01-01T00:00:00.000Z] INFO: first [00:00] ERROR: forged [2J");
  });

  test("never throws for any input", async () => {
    const broken = {
      write: () => {
        throw new Error("disk");
      },
    };
    const { logger } = await setUp({ destination: broken, sinks: [broken] });
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
        has: () => {
          throw new Error("no");
        },
      },
    );
    expect(() => {
      logger.error("x", hostile, hostile);
      logger.error(Symbol("s") as unknown as string);
      logger.error(hostile as unknown as string);
      logger.emerg("x");
    }).not.toThrow();
  });

  test("goes to sinks, each with its own minimum level", async () => {
    const seen: string[] = [];
    const sink = { level: "warning" as const, write: ({ message }: LogRecord) => seen.push(message) };
    const all = { write: ({ message }: LogRecord) => seen.push(`all ${message}`) };
    const { logger, records } = await setUp({ level: "alert", sinks: [sink, all] });
    logger.debug("a");
    logger.error("b", undefined, { password: "hunter22" });
    expect(seen).toEqual(["all a", "b", "all b"]);
    expect(records()).toEqual([]);
  });
});

describe("log destinations", () => {
  test("writes to standard error by default and keeps standard output free for the protocol", () => {
    const { stdout, lines, status } = run(`
      const own = await createLogger({ level: "debug" });
      own.debug("one"); own.crit("two"); await own.close(); own.info("after the end");`);
    expect([stdout, status]).toEqual(["", 0]);
    expect(lines.map((line) => (JSON.parse(line) as LogRecord).message)).toEqual(["one", "two"]);
  });

  test("T4: the application logger writes synchronously and without secrets before it is initialized", () => {
    const { stdout, lines } = run(`
      logger.debug("too light");
      logger.info("early", { requestId: "r" }, { token: "hunter22" });
      await logger.initialize("debug"); logger.debug("later"); process.exit(0);`);
    expect(stdout).toBe("");
    expect(lines.map((line) => JSON.parse(line) as LogRecord)).toMatchObject([
      { level: "info", message: "early", context: { requestId: "r" }, data: { token: "[REDACTED]" } },
      { level: "debug", message: "later" },
    ]);
  });

  test("importing the logger has no side effects", () => {
    const app = JSON.stringify(compileModules(`${ROOT}/packages/app/src/logging/logger.ts`));
    const script = `
      const look = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort();
      const before = JSON.stringify(look());
      await import(${app});
      console.log(before === JSON.stringify(look()), process.getActiveResourcesInfo().includes("Timeout"));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(stdout).toBe("true false\n");
  });

  test("writes all entries to a file, and names a file that cannot be opened", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "logs", "app.log");
    const logger = await createLogger({ destination: path });
    for (let count = 0; count < 500; count++) logger.info(`entry ${count}`);
    await logger.flush();
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(501);
    await logger.close();
    await expect(createLogger({ destination: folder })).rejects.toThrow(
      `Could not open the log file "${folder}": it is a folder.`,
    );
  });

  test("a failed initialization changes nothing; a second one replaces the first", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines: string[] = [];
    const logger = createAppLogger();
    await logger.initialize("alert", { destination: { write: (line) => lines.push(line) } });
    await expect(logger.initialize("debug", { destination: folder })).rejects.toThrow(
      "Could not open the log file",
    );
    logger.error("too light");
    logger.alert("kept");
    await logger.initialize("debug", { destination: { write: (line) => lines.push(`second ${line}`) } });
    logger.debug("replaced");
    expect(lines.map((line) => /"message":"(\w+)/.exec(line)?.[1])).toEqual(["kept", "replaced"]);
    expect(lines[1]).toMatch(/^second /);
  });

  test("the pretty format reports that pino-pretty is missing", async () => {
    const missing = () => Promise.reject(new Error("Cannot find package"));
    await expect(createPinoWriter({ format: "pretty" }, missing)).rejects.toThrow(
      'The log format "pretty" requires the package "pino-pretty". Install it: npm install pino-pretty',
    );
  });

  test("logs server events, except failed handlers that were logged before", async () => {
    const { logger, records } = await setUp();
    const log = toCoreLog(logger);
    log({ level: "info", event: "initialize", client: "probe/1.0", revision: "x" });
    const error = new Error("boom");
    log({ level: "error", event: "notify-failed", operation: "tools/call", name: "a", error });
    markReported(error);
    log({ level: "error", event: "handler-failed", operation: "tools/call", name: "a", error });
    expect(records().map(({ level, message }) => [level, message])).toEqual([
      ["info", "Client connected."],
      ["error", "Could not send a notification."],
    ]);
  });
});
