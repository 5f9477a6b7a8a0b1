import { McpError as SdkMcpError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createErrorHandler } from "../../src/errors/error-handler.js";
import { registerAll } from "../../src/errors/register-all.js";
import { createLogger } from "../../src/logging/logger.js";
import { BaseErrorCode, McpError } from "tenon/protocol";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly context?: { readonly requestId?: string };
  readonly data: { readonly [key: string]: unknown };
}

async function setUp(options: { readonly exposeErrors?: boolean } = {}) {
  const lines: Line[] = [];
  const logger = await createLogger({
    destination: { write: (line) => lines.push(JSON.parse(line) as Line) },
  });
  return { lines, logger, handler: createErrorHandler({ logger, ...options }) };
}

const systemError = (code: string) => Object.assign(new Error("it failed"), { code });

describe("determineErrorCode", () => {
  test.each<[string, unknown, BaseErrorCode]>([
    ["an McpError of the standard", new McpError("CONFLICT", "x"), "CONFLICT"],
    ["an McpError of the protocol, by the table", new McpError("INVALID_PARAMS", "x"), "VALIDATION_ERROR"],
    ["the official SDK's error", new SdkMcpError(-32601, "x"), "NOT_FOUND"],
    ["SyntaxError", new SyntaxError("x"), "VALIDATION_ERROR"],
    ["TypeError", new TypeError("x"), "VALIDATION_ERROR"],
    ["RangeError", new RangeError("x"), "VALIDATION_ERROR"],
    ["URIError", new URIError("x"), "VALIDATION_ERROR"],
    ["ReferenceError", new ReferenceError("not found"), "INTERNAL_ERROR"],
    ["EvalError", new EvalError("not found"), "INTERNAL_ERROR"],
    ["ZodError", z.object({ a: z.string() }).safeParse({}).error, "VALIDATION_ERROR"],
    ["AbortError", new DOMException("x", "AbortError"), "TIMEOUT"],
    ["TimeoutError", new DOMException("x", "TimeoutError"), "TIMEOUT"],
    ["ECONNREFUSED", systemError("ECONNREFUSED"), "SERVICE_UNAVAILABLE"],
    [
      "a refused connection inside a TypeError",
      new TypeError("fetch failed", { cause: systemError("ENOTFOUND") }),
      "SERVICE_UNAVAILABLE",
    ],
    ["ENOENT", systemError("ENOENT"), "NOT_FOUND"],
    ["EACCES", systemError("EACCES"), "FORBIDDEN"],
    ["ETIMEDOUT", systemError("ETIMEDOUT"), "TIMEOUT"],
    ["a message on authentication", new Error("Unauthorized: invalid token"), "UNAUTHORIZED"],
    ["a message on permissions", new Error("Permission denied"), "FORBIDDEN"],
    ["a message on absence", new Error("User not found"), "NOT_FOUND"],
    ["a message on validity", new Error("Malformed header"), "VALIDATION_ERROR"],
    ["a message on a conflict", new Error("The key already exists"), "CONFLICT"],
    ["a message on limits", new Error("Too many requests"), "RATE_LIMITED"],
    ["a message on time", new Error("The query timed out"), "TIMEOUT"],
    ["a message on availability", new Error("Service Unavailable"), "SERVICE_UNAVAILABLE"],
    ["a thrown text", "no such table", "NOT_FOUND"],
    ["any other error", new Error("boom"), "INTERNAL_ERROR"],
    ["nothing", undefined, "INTERNAL_ERROR"],
    [
      "an object that cannot be read",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
      "INTERNAL_ERROR",
    ],
  ])("%s", async (_name, error, code) => {
    const { handler } = await setUp();
    expect(handler.determineErrorCode(error)).toBe(code);
  });

  test("classifies a 1 MB message quickly", async () => {
    const { handler } = await setUp();
    const start = performance.now();
    expect(handler.determineErrorCode(new Error("expected ".repeat(200_000)))).toBe("INTERNAL_ERROR");
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe("handleError", () => {
  test("T2: logs an McpError once and returns it unchanged", async () => {
    const { handler, lines } = await setUp();
    const error = new McpError("VALIDATION_ERROR", "The city is empty.", { city: "" });
    expect(handler.handleError(error, { operation: "tool:forecast", context: { requestId: "r1" } })).toBe(
      error,
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "error",
      message: "Error in tool:forecast: The city is empty.",
      context: { requestId: "r1" },
      data: { errorCode: "VALIDATION_ERROR", critical: false, error: { name: "McpError" } },
    });
  });

  test("C13: the client gets a generic message for an unexpected error; text and stack are only logged", async () => {
    const { handler, lines } = await setUp();
    const error = new Error("connect to db.internal:5432 failed");
    const told = handler.handleError(error, { operation: "tool:report", input: { month: 4 } });
    expect(told).toBeInstanceOf(McpError);
    expect(told.message).toBe("Error in tool:report: An unexpected error occurred.");
    expect(told.code).toBe("INTERNAL_ERROR");
    expect(told.details).toBeUndefined();
    expect(told.cause).toBe(error);
    const logged = lines[0]?.data as { error: { message: string; stack: string }; input: unknown };
    expect(logged.error.message).toBe("connect to db.internal:5432 failed");
    expect(logged.error.stack).toContain("error-handler.test.ts");
    expect(logged.input).toEqual({ month: 4 });
  });

  test("`exposeErrors` sends the message without credentials", async () => {
    const { handler } = await setUp({ exposeErrors: true });
    const told = handler.handleError(new Error("no answer from https://me:hunter22@db"), { operation: "x" });
    expect(told.message).toBe("Error in x: no answer from https://me:[REDACTED]@db");
  });

  test("logs input without secrets", async () => {
    const { handler, lines } = await setUp();
    handler.handleError(new Error("x"), { operation: "login", input: { user: "ada", password: "hunter22" } });
    expect(lines[0]?.data["input"]).toEqual({ user: "ada", password: "[REDACTED]" });
  });

  test("`errorCode` sets the code, `critical` logs at crit, `includeStack: false` omits the stack", async () => {
    const { handler, lines } = await setUp();
    const told = handler.handleError(new McpError("NOT_FOUND", "No file."), {
      operation: "start",
      errorCode: "INITIALIZATION_FAILED",
      critical: true,
      includeStack: false,
    });
    expect([told.code, told.message]).toEqual(["INITIALIZATION_FAILED", "No file."]);
    expect(lines[0]?.level).toBe("crit");
    expect(lines[0]?.data["error"]).toEqual({ name: "McpError", message: "No file." });
  });

  test("uses the message of a mapped error, and ignores a mapper that throws", async () => {
    const { handler } = await setUp();
    const operation = "x";
    const fail = () => {
      throw new Error("mapper");
    };
    const mapped = handler.handleError(new Error("inside"), {
      operation,
      errorMapper: () => new Error("Try later."),
    });
    expect(mapped.message).toBe("Error in x: Try later.");
    const unmapped = handler.handleError(new Error("inside"), { operation, errorMapper: fail });
    expect(unmapped.message).toBe("Error in x: An unexpected error occurred.");
  });

  test("`rethrow` throws the error instead of returning it", async () => {
    const { handler } = await setUp();
    expect(() => handler.handleError(new Error("x"), { operation: "y", rethrow: true })).toThrow(
      new McpError("INTERNAL_ERROR", "Error in y: An unexpected error occurred."),
    );
  });
});

describe("tryCatch", () => {
  const options = {
    operation: "RegisteringTool_echo",
    errorCode: BaseErrorCode.INITIALIZATION_FAILED,
    critical: true,
  };

  test("T8, T29: logs and always rethrows, for a function and for a promise", async () => {
    const { handler, lines } = await setUp();
    const expected = {
      code: "INITIALIZATION_FAILED",
      message: "Error in RegisteringTool_echo: Could not start the server.",
    };
    const fail = () => {
      throw new Error("boom");
    };
    expect(() => handler.tryCatch(fail, options)).toThrow(expect.objectContaining(expected));
    await expect(handler.tryCatch(() => Promise.reject(new Error("boom")), options)).rejects.toMatchObject(
      expected,
    );
    expect(lines.map(({ level }) => level)).toEqual(["crit", "crit"]);
  });

  test("returns the function's result, synchronously or asynchronously", async () => {
    const { handler, lines } = await setUp();
    expect(handler.tryCatch(() => 7, options)).toBe(7);
    await expect(handler.tryCatch(async () => 8, options)).resolves.toBe(8);
    expect(lines).toEqual([]);
  });
});

describe("mapError and formatError", () => {
  test("uses the first matching rule", async () => {
    const { handler } = await setUp();
    const rules = [
      { pattern: "QUOTA", factory: () => new McpError("RATE_LIMITED", "Slow down.") },
      { pattern: /q.ota/g, factory: () => new McpError("CONFLICT", "never") },
      { pattern: /gone/g, factory: () => new McpError("NOT_FOUND", "Gone.") },
    ];
    expect(handler.mapError(new Error("your quota is used up"), rules).message).toBe("Slow down.");
    // `test` on a global pattern would fail the second time.
    expect(handler.mapError(new Error("gone"), rules).message).toBe("Gone.");
    expect(handler.mapError(new Error("gone"), rules).message).toBe("Gone.");
    expect(handler.mapError("odd", rules, () => new Error("default")).message).toBe("default");
    expect(handler.mapError("odd", rules).message).toBe("odd");
  });

  test("formatError returns only data that is safe for clients", async () => {
    const { handler } = await setUp();
    expect(handler.formatError(new McpError("NOT_FOUND", "No invoice.", { id: 4 }))).toEqual({
      code: "NOT_FOUND",
      message: "No invoice.",
      details: { id: 4 },
    });
    expect(handler.formatError(new Error("ENOENT /srv/secret"))).toEqual({
      code: "INTERNAL_ERROR",
      message: "An unexpected error occurred.",
    });
  });
});

describe("registerAll", () => {
  const fails = (text: string) => () => Promise.reject(new Error(text));

  test("C-i4: a failing registration that is not critical is logged and skipped, and the server starts", async () => {
    const { logger, lines } = await setUp();
    const report = await registerAll(
      [
        { name: "echo", register: () => undefined },
        { name: "weather", register: fails("no key"), critical: false },
        { name: "time", register: async () => {} },
      ],
      { logger },
    );
    expect(report).toEqual({ registered: ["echo", "time"], skipped: ["weather"] });
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["error", 'Could not register "weather". It was skipped.'],
    ]);
  });

  test("C-i4: failing critical registrations prevent the start, with one error that names them all", async () => {
    const { logger } = await setUp();
    const started = registerAll(
      [
        { name: "echo", register: fails("a") },
        { name: "time", register: () => undefined },
        { name: "weather", register: fails("b") },
      ],
      { logger },
    );
    await expect(started).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
      message: 'The server cannot start: could not register "echo" (a), "weather" (b).',
      cause: { errors: [{ message: "a" }, { message: "b" }] },
    });
  });
});
