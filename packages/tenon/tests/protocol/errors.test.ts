import { describe, expect, test } from "vitest";
import { BaseErrorCode, type ErrorName, ERRORS, McpError } from "../../src/protocol/errors.js";

const names = Object.keys(ERRORS) as ErrorName[]; // keys of a literal
const modernNumber = (name: ErrorName) => ERRORS[name].modernRpc ?? ERRORS[name].rpc;

describe("the application standard", () => {
  test("has 19 names, each equal to its key", () => {
    expect(Object.entries(BaseErrorCode)).toHaveLength(19);
    for (const [key, value] of Object.entries(BaseErrorCode)) expect(value).toBe(key);
  });

  test.each(Object.values(BaseErrorCode))("%s has a row with itself as the base", (name) => {
    expect(ERRORS[name].base).toBe(name);
  });
});

describe.each(names)("the row of %s", (name) => {
  const row = ERRORS[name];

  test("comes from the table", () => {
    expect(row).toBe(ERRORS[name]);
  });

  test("has integers in the reserved range of JSON-RPC", () => {
    for (const number of [row.rpc, modernNumber(name)]) {
      expect(Number.isInteger(number)).toBe(true);
      expect(number).toBeGreaterThanOrEqual(-32768);
      expect(number).toBeLessThanOrEqual(-32000);
    }
  });

  test("does not use codes that the stateless era removed or reserved", () => {
    expect([-32002, -32042]).not.toContain(modernNumber(name));
    expect(modernNumber(name) > -32020 && modernNumber(name) <= -32000).toBe(false);
  });

  test("uses the stateless era's codes only in that era", () => {
    if (row.modernRpc !== undefined) expect(row.modernRpc).not.toBe(row.rpc);
  });

  test("has an HTTP error status, and 200 or an error status for JSON-RPC responses", () => {
    expect(row.http).toBeGreaterThanOrEqual(400);
    expect(row.http).toBeLessThan(600);
    expect([200, 400, 403, 404, 429]).toContain(row.wire);
  });

  test("has a base from the application standard and one of the six labels", () => {
    expect(Object.values(BaseErrorCode)).toContain(row.base);
    expect([
      "INVALID_REQUEST",
      "AUTHENTICATION_REQUIRED",
      "FORBIDDEN",
      "NOT_FOUND",
      "RATE_LIMITED",
      "SERVICE_ERROR",
    ]).toContain(row.label);
  });
});

describe("in the stateless era", () => {
  test.each<[ErrorName, number, number]>([
    ["PARSE_ERROR", -32700, 400],
    ["INVALID_REQUEST", -32600, 400],
    ["METHOD_NOT_FOUND", -32601, 404],
    ["INVALID_PARAMS", -32602, 200],
    ["INVALID_ENVELOPE", -32602, 400],
    ["HEADER_MISMATCH", -32020, 400],
    ["MISSING_CAPABILITY", -32021, 400],
    ["UNSUPPORTED_VERSION", -32022, 400],
    ["UNKNOWN_TOOL", -32602, 200],
    ["RESOURCE_NOT_FOUND", -32602, 200],
    ["NOT_FOUND", -32602, 200],
    ["INTERNAL_ERROR", -32603, 200],
  ])("%s is %i with HTTP %i", (name, number, wire) => {
    expect([modernNumber(name), ERRORS[name].wire]).toEqual([number, wire]);
  });
});

describe("in the legacy eras", () => {
  test.each<[ErrorName, number]>([
    ["PARSE_ERROR", -32700],
    ["INVALID_REQUEST", -32600],
    ["METHOD_NOT_FOUND", -32601],
    ["INVALID_PARAMS", -32602],
    ["UNKNOWN_TOOL", -32601],
    ["RESOURCE_NOT_FOUND", -32002],
    ["INTERNAL_ERROR", -32603],
  ])("%s is %i", (name, number) => {
    expect(ERRORS[name].rpc).toBe(number);
  });
});

describe("McpError", () => {
  test("R49: has a code from the table, a message, details, and a cause", () => {
    const cause = new Error("the disk is full");
    const error = new McpError("NOT_FOUND", "No such invoice", { invoice: "42" }, { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("McpError");
    expect(error.code).toBe("NOT_FOUND");
    expect(error.message).toBe("No such invoice");
    expect(error.details).toEqual({ invoice: "42" });
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe("McpError: No such invoice");
  });

  test("does not have details or a cause by default", () => {
    const error = new McpError("TIMEOUT", "Too slow");
    expect(error.details).toBeUndefined();
    expect("cause" in error).toBe(false);
  });

  test("R49: rejects a code that is not in the table", () => {
    // @ts-expect-error: not a name in the table
    const error = new McpError("NO_SUCH_CODE", "never compiled");
    expect(names).not.toContain(error.code);
  });
});
