import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSanitization, sanitization } from "../../src/sanitization/sanitization.js";
import { McpError } from "tenon/protocol";

const { sanitizeJson, sanitizeNumber, sanitizeForLogging } = sanitization;

describe("sanitizeJson", () => {
  test("T39: gives the value, without keys that reach for a prototype", () => {
    const value = sanitizeJson(
      '{"a":[1,{"__proto__":{"polluted":true},"b":2}],"constructor":{"prototype":{"x":1}}}',
    );
    expect(value).toEqual({ a: [1, { b: 2 }] });
    expect(Object.hasOwn(Object.assign({}, value), "constructor")).toBe(false);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(sanitizeJson("null")).toBeNull();
  });

  test.each([
    ["{", 'Invalid JSON: it is malformed: "{"'],
    ["", 'Invalid JSON: it is malformed: ""'],
    ["\ufeff{}", 'Invalid JSON: it is malformed: "?{}"'],
    ["{'a':1}", 'Invalid JSON: it is malformed: "{?a?:1}"'],
    ["[".repeat(65) + "]".repeat(65), "Invalid JSON: it nests deeper than 64"],
    ["[".repeat(500_000), "Invalid JSON: it nests deeper than 64"],
    [`"${"x".repeat(1_048_576)}"`, "Invalid JSON: it has more than 1048576 bytes"],
    [{ a: 1 }, "Invalid JSON: it must be text"],
  ])("T39: refuses what is malformed or beyond bounds", (input, message) => {
    expect(() => sanitizeJson(input)).toThrow(new McpError("VALIDATION_ERROR", message));
  });

  test("counts bytes, not letters, and nests as deep as allowed", () => {
    expect(() => sanitizeJson('"ääää"', { maxBytes: 9 })).toThrow("more than 9 bytes");
    expect(sanitizeJson('"ääää"', { maxBytes: 10 })).toBe("ääää");
    expect(sanitizeJson("[[1]]", { maxDepth: 2 })).toEqual([[1]]);
    expect(() => sanitizeJson("[[1]]", { maxDepth: 1 })).toThrow("deeper than 1");
  });

  test("gives back what JSON can say (property)", () => {
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
  ])("T39: takes %j", (input, options, value) => {
    expect(sanitizeNumber(input, options)).toBe(value);
  });

  test.each([
    [Number.NaN, {}, "Invalid number: it must be a finite decimal number"],
    [Infinity, { clamp: true, max: 1 }, "Invalid number: it must be a finite decimal number"],
    ["1e999", {}, 'Invalid number: it must be a finite decimal number: "1e999"'],
    ["0x10", {}, 'Invalid number: it must be a finite decimal number: "0x10"'],
    ["1_000", {}, 'Invalid number: it must be a finite decimal number: "1_000"'],
    ["", {}, 'Invalid number: it must be a finite decimal number: ""'],
    ["1,5", {}, 'Invalid number: it must be a finite decimal number: "1,5"'],
    ["١٢", {}, 'Invalid number: it must be a finite decimal number: "??"'],
    ["9".repeat(100), {}, `Invalid number: it must be a finite decimal number: "${"9".repeat(40)}..."`],
    [null, {}, "Invalid number: it must be a finite decimal number"],
    [[1], {}, "Invalid number: it must be a finite decimal number"],
    [1.5, { integer: true }, "Invalid number: it must be a whole number"],
    [2 ** 53, { integer: true }, "Invalid number: it must be a whole number"],
    [0, { min: 1 }, "Invalid number: it must be 1 or more"],
    [11, { max: 10 }, "Invalid number: it must be 10 or less"],
  ])("T39: refuses %j", (input, options, message) => {
    expect(() => sanitizeNumber(input, options)).toThrow(new McpError("VALIDATION_ERROR", message));
  });

  test("bounds that exclude each other are the developer's mistake", () => {
    expect(() => sanitizeNumber(1, { min: 2, max: 1 })).toThrow("min must not be more than max");
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
  ])("T39: hides the value under %s, at any depth", (name) => {
    expect(sanitizeForLogging({ list: [{ [name]: "hunter2", city: "Rome" }] })).toEqual({
      list: [{ [name]: "[REDACTED]", city: "Rome" }],
    });
  });

  test("hides values by themselves, where they are known, and never throws", () => {
    const own = createSanitization({ secrets: ["correct-horse"] });
    expect(JSON.stringify(own.sanitizeForLogging({ note: "it is correct-horse" }))).not.toContain(
      "correct-horse",
    );
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(() => sanitizeForLogging(circular)).not.toThrow();
  });
});
