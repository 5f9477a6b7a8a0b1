import { McpError as SdkMcpError } from "@modelcontextprotocol/sdk/types.js";
import { ProtocolError } from "@modelcontextprotocol/server";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createHttpError,
  type ErrorBranch,
  handleToolError,
  toErrorBranch,
  toMcpError,
} from "../src/index.js";
import { ERRORS, McpError } from "tenon/protocol";

function recorder() {
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  return { lines, logger: { debug: note, info: note, warn: note, error: note } };
}

const textOf = (error: unknown) => {
  const [block] = handleToolError(error).content;
  return block?.type === "text" ? block.text : undefined;
};

describe("Z19: handleToolError", () => {
  test.each<[string, unknown, string]>([
    ["an Error", new Error("no such file"), "no such file"],
    ["an McpError", new McpError("NOT_FOUND", "There is no invoice 42"), "There is no invoice 42"],
    ["text", "it broke", "it broke"],
    ["a number", 42, "42"],
    ["an object with a message", { message: "from afar" }, "from afar"],
    ["an object without one", { secret: "x" }, "Unknown error"],
    ["null", null, "Unknown error"],
    ["undefined", undefined, "Unknown error"],
    ["a function", () => {}, "Unknown error"],
    ["a symbol", Symbol("s"), "Unknown error"],
    ["an Error without a message", new Error(""), "Unknown error"],
    ["an object whose getters throw", refusing(), "Unknown error"],
    ["an object with a hostile toString", { toString: () => "boo", message: 7 }, "Unknown error"],
  ])("converts %s to a result", (_, error, text) => {
    expect(handleToolError(error)).toMatchObject({ content: [{ type: "text", text }], isError: true });
  });

  test("without a code the result has only text and isError", () => {
    expect(handleToolError(new Error("plain"))).toEqual({
      content: [{ type: "text", text: "plain" }],
      isError: true,
    });
  });

  test.each<[string, unknown, unknown]>([
    ["a name from the error table", new McpError("NOT_FOUND", "x"), { code: "NOT_FOUND", rpc: -32002 }],
    ["an HTTP label", { message: "x", code: "SERVICE_ERROR" }, { code: "SERVICE_ERROR", rpc: -32603 }],
    ["an HTTP error", createHttpError(401), { code: "AUTHENTICATION_REQUIRED", rpc: -32600 }],
    ["a Node error code", Object.assign(new Error("x"), { code: "ENOENT" }), { code: "ENOENT", rpc: -32603 }],
    ["an SDK error number", new SdkMcpError(-32602, "x"), { code: "INVALID_PARAMS", rpc: -32602 }],
    ["an unknown number", { message: "x", code: 17 }, undefined],
    ["a code with spaces", { message: "x", code: "two words" }, undefined],
    ["a code that is too long", { message: "x", code: "A".repeat(65) }, undefined],
    [
      "a code that is an inherited name",
      { message: "x", code: "constructor" },
      { code: "constructor", rpc: -32603 },
    ],
  ])("maps %s", (_, error, told) => {
    expect(handleToolError(error)._meta?.["tenon/error"]).toEqual(told);
  });

  test("appends the help text on its own line", () => {
    expect(textOf(createHttpError(429, "Too fast", { help: "Wait a minute" }))).toBe(
      "Too fast\nWait a minute",
    );
  });

  test("logs the stack and its causes on one line; the client gets neither", () => {
    const { lines, logger } = recorder();
    const cause = new TypeError("socket\nhang up");
    const result = handleToolError(new Error("upstream failed", { cause }), logger);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^Tool failed: Error: upstream failed at .+tool-error\.test\.ts.+ \| caused by TypeError: socket hang up at /,
    );
    expect(lines[0]).not.toContain("\n");
    expect(JSON.stringify(result)).not.toMatch(/socket|tool-error\.test|\bat /);
  });

  test("logs the code", () => {
    const { lines, logger } = recorder();
    handleToolError(new McpError("NOT_FOUND", "gone"), logger);
    expect(lines[0]).toMatch(/^Tool failed \(NOT_FOUND\): /);
  });

  test("ignores a logger that throws", () => {
    const broken = () => {
      throw new Error("disk full");
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    expect(handleToolError("it broke", logger).content).toEqual([{ type: "text", text: "it broke" }]);
  });

  test("removes a stack from the message", () => {
    expect(textOf(new Error("Command failed\n    at run (/srv/app/secret.js:1:2)\n    at main"))).toBe(
      "Command failed",
    );
    expect(textOf("   at run (/srv/app/secret.js:1:2)")).toBe("Unknown error");
  });

  test("removes control characters and keeps line breaks", () => {
    expect(textOf("one\u001b[31m\u0000two\u009b\r\nthree\tfour\u007f")).toBe("one[31mtwo\nthree\tfour");
  });

  test("truncates a long text between characters", () => {
    expect(textOf("x".repeat(5000))).toBe(`${"x".repeat(1000)}…`);
    expect(textOf(`${"x".repeat(999)}😀😀`)).toBe(`${"x".repeat(999)}…`);
  });

  test.each([
    ["Authorization: Bearer abcdef.ghijkl", "abcdef"],
    ["GET https://ada:hunter22@example.com/ failed", "hunter22"],
    ["GET /?access_token=s3cr3tvalue&x=1 failed", "s3cr3tvalue"],
    ['{"client_secret": "s3cr3tvalue"}', "s3cr3tvalue"],
    ["bad key sk-abcdefgh12345678", "abcdefgh1234"],
    ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc is old", "eyJzdWIi"],
    ["password=hunter22", "hunter22"],
    ["{ accessToken: 's3cr3tvalue' }", "s3cr3tvalue"],
  ])("redacts a credential: %s", (message, secret) => {
    const { lines, logger } = recorder();
    const told = JSON.stringify(handleToolError(new Error(message), logger));
    expect(told).not.toContain(secret);
    expect(told).toContain("[REDACTED]");
    expect(lines.join()).not.toContain(secret);
  });

  test("returns a small JSON-safe result for any thrown value", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (error) => {
        const text = JSON.stringify(handleToolError(error));
        expect(text.length).toBeLessThan(8000);
        expect(JSON.parse(text)).toMatchObject({ isError: true, content: [{ type: "text" }] });
      }),
    );
  });

  test("processes hostile text quickly", () => {
    const start = performance.now();
    for (const piece of ["Bearer ", "token=", "://a:", "eyJ", "a-_", " \n   at "]) {
      handleToolError(new Error(piece.repeat(200_000)));
    }
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe("Z20: toErrorBranch", () => {
  test("returns the branch without absent members", () => {
    expect(toErrorBranch(new Error("it broke"))).toEqual({ type: "error", error: "it broke" });
    expect(toErrorBranch("text")).toEqual({ type: "error", error: "text" });
    expect(toErrorBranch(createHttpError(403, "Not yours", { help: "Ask the owner" }))).toEqual({
      type: "error",
      error: "Not yours",
      code: "FORBIDDEN",
      help: "Ask the owner",
    });
  });

  test("uses a custom handler, which always receives an Error", () => {
    const seen: Error[] = [];
    const say = (error: Error): ErrorBranch => {
      seen.push(error);
      return { type: "error", error: `Sorry: ${error.message}`, code: "MINE" };
    };
    expect(toErrorBranch(new TypeError("bad"), say)).toEqual({
      type: "error",
      error: "Sorry: bad",
      code: "MINE",
    });
    expect(toErrorBranch({ message: "odd" }, say)).toEqual({
      type: "error",
      error: "Sorry: odd",
      code: "MINE",
    });
    expect(seen.map((error) => error instanceof Error)).toEqual([true, true]);
  });

  test("limits the custom handler's text, and ignores a handler that throws", () => {
    const long = toErrorBranch("x", () => ({ type: "error", error: "y".repeat(5000), help: "\u0000h" }));
    expect(long).toEqual({ type: "error", error: `${"y".repeat(1000)}…`, help: "h" });
    const failing = () => {
      throw new Error("worse");
    };
    expect(toErrorBranch(new Error("first"), failing)).toEqual({ type: "error", error: "first" });
  });
});

describe("Z23: toMcpError", () => {
  test.each<[string, Error]>([
    ["a Tenon error", new McpError("CONFLICT", "taken")],
    ["an error of SDK version 1", new SdkMcpError(-32602, "wrong")],
    ["an error of SDK version 2", new ProtocolError(-32602, "wrong")],
  ])("returns %s unchanged", (_, error) => {
    expect(toMcpError(error)).toBe(error);
  });

  test("converts any other error to an internal error with its message; the stack stays in the cause", () => {
    const original = new RangeError("too far");
    const error = toMcpError(original);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: "INTERNAL_ERROR", message: "Error: too far", cause: original });
    expect(error).toHaveProperty("details", undefined);
    expect(ERRORS.INTERNAL_ERROR.rpc).toBe(-32603);
    expect(toMcpError("text").message).toBe("Error: text");
  });

  test("a numeric code alone does not make an SDK error", () => {
    expect(toMcpError(Object.assign(new Error("x"), { code: -32602 })).message).toBe("Error: x");
  });
});

function refusing(): object {
  return new Proxy(
    {},
    {
      get() {
        throw new Error("no");
      },
    },
  );
}
