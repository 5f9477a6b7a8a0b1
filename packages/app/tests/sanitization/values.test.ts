import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSanitization, sanitization } from "../../src/sanitization/sanitization.js";
import { McpError } from "tenon/protocol";

const { sanitizeJson, sanitizeNumber, sanitizeForLogging } = sanitization;

describe("sanitizeJson", () => {
  test("T39: returns the value without keys that could modify a prototype", () => {
    const value = sanitizeJson(
      '{"a":[1,{"__proto__":{"polluted":true},"b":2}],"constructor":{"prototype":{"x":1}}}',
    );
    expect(value).toEqual({ a: [1, { b: 2 }] });
    expect(Object.hasOwn(Object.assign({}, value), "constructor")).toBe(false);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(sanitizeJson("null")).toBeNull();
  });

  test.each([
    ["{", 'Invalid JSON: it is malformed; got "{".'],
    ["", 'Invalid JSON: it is malformed; got "".'],
    ["\ufeff{}", 'Invalid JSON: it is malformed; got "?{}".'],
    ["{'a':1}", 'Invalid JSON: it is malformed; got "{?a?:1}".'],
    ["[".repeat(65) + "]".repeat(65), "Invalid JSON: it is nested deeper than 64 levels."],
    ["[".repeat(500_000), "Invalid JSON: it is nested deeper than 64 levels."],
    [`"${"x".repeat(1_048_576)}"`, "Invalid JSON: it is too large (limit: 1048576 bytes)."],
    [{ a: 1 }, "Invalid JSON: it must be a string; got an object."],
  ])("T39: rejects malformed JSON and JSON over the limits", (input, message) => {
    expect(() => sanitizeJson(input)).toThrow(new McpError("VALIDATION_ERROR", message));
  });

  test("counts bytes instead of characters, and allows nesting up to the limit", () => {
    expect(() => sanitizeJson('"ääää"', { maxBytes: 9 })).toThrow("too large (limit: 9 bytes)");
    expect(sanitizeJson('"ääää"', { maxBytes: 10 })).toBe("ääää");
    expect(sanitizeJson("[[1]]", { maxDepth: 2 })).toEqual([[1]]);
    expect(() => sanitizeJson("[[1]]", { maxDepth: 1 })).toThrow("nested deeper than 1 levels");
  });

  test("round-trips every JSON value (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__") && !text.includes("constructor"));
        expect(sanitizeJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("sanitizeNumber", () => {
  test.each([
    [42, {}, 42],
    ["42", {}, 42],
    [" -1.5e3 ", {}, -1500],
    ["+7", { integer: true }, 7],
    [-0, {}, 0],
    [5, { min: 5, max: 5 }, 5],
    [99, { max: 10, clamp: true }, 10],
    [-99, { min: 0, clamp: true }, 0],
  ])("T39: accepts %j", (input, options, value) => {
    expect(sanitizeNumber(input, options)).toBe(value);
  });

  test.each([
    [Number.NaN, {}, "Invalid number: it must be a finite decimal number; got NaN."],
    [Infinity, { clamp: true, max: 1 }, "Invalid number: it must be a finite decimal number; got Infinity."],
    ["1e999", {}, 'Invalid number: it must be a finite decimal number; got "1e999".'],
    ["0x10", {}, 'Invalid number: it must be a finite decimal number; got "0x10".'],
    ["1_000", {}, 'Invalid number: it must be a finite decimal number; got "1_000".'],
    ["", {}, 'Invalid number: it must be a finite decimal number; got "".'],
    ["1,5", {}, 'Invalid number: it must be a finite decimal number; got "1,5".'],
    ["١٢", {}, 'Invalid number: it must be a finite decimal number; got "??".'],
    ["9".repeat(100), {}, `Invalid number: it must be a finite decimal number; got "${"9".repeat(40)}...".`],
    [null, {}, "Invalid number: it must be a finite decimal number; got null."],
    [[1], {}, "Invalid number: it must be a finite decimal number; got an array."],
    [1.5, { integer: true }, "Invalid number: it must be a safe integer; got 1.5."],
    [2 ** 53, { integer: true }, "Invalid number: it must be a safe integer; got 9007199254740992."],
    [0, { min: 1 }, "Invalid number: it must be at least 1; got 0."],
    [11, { max: 10 }, "Invalid number: it must be at most 10; got 11."],
  ])("T39: rejects %j", (input, options, message) => {
    expect(() => sanitizeNumber(input, options)).toThrow(new McpError("VALIDATION_ERROR", message));
  });

  test("throws a plain error if `min` is greater than `max`", () => {
    expect(() => sanitizeNumber(1, { min: 2, max: 1 })).toThrow(
      "`min` must not be greater than `max`; got 2 and 1.",
    );
  });
});

describe("sanitizeForLogging", () => {
  test.each([
    "password",
    "token",
    "secret",
    "key",
    "apiKey",
    "auth",
    "credential",
    "jwt",
    "ssn",
    "credit",
    "card",
    "cvv",
    "authorization",
  ])("T39: redacts the value of %s at any depth", (name) => {
    expect(sanitizeForLogging({ list: [{ [name]: "hunter2", city: "Rome" }] })).toEqual({
      list: [{ [name]: "[REDACTED]", city: "Rome" }],
    });
  });

  test("redacts known secret values and never throws", () => {
    const own = createSanitization({ secrets: ["correct-horse"] });
    expect(JSON.stringify(own.sanitizeForLogging({ note: "it is correct-horse" }))).not.toContain(
      "correct-horse",
    );
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(() => sanitizeForLogging(circular)).not.toThrow();
  });
});
