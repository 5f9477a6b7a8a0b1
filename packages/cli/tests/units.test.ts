import { describe, expect, test } from "vitest";
import { parsePairs } from "../src/call-arguments.js";
import { describeResult } from "../src/describe/content.js";
import { parseField, readFields } from "../src/answers/form-fields.js";
import { describeArguments } from "../src/describe/arguments.js";

describe("named arguments", () => {
  const schema = {
    properties: {
      text: { type: "string" },
      count: { type: "integer" },
      on: { type: "boolean" },
      list: { type: "array" },
      either: { type: ["string", "integer"] },
      optional: { type: ["string", "null"] },
    },
  };
  test.each<[string, unknown]>([
    ["text=12", "12"],
    ["text=", ""],
    ["text=a=b", "a=b"],
    ["count=12", 12],
    ["count=twelve", "twelve"],
    ["on=true", true],
    ["list=[1,2]", [1, 2]],
    ["list=1,2", "1,2"],
    ["either=5", 5],
    ["either=true", "true"],
    ["optional=null", null],
    ["optional=12", "12"],
    ["unknown=12", 12],
    ["unknown=word", "word"],
    ['unknown={"a":1}', { a: 1 }],
    ["constructor=1", 1],
  ])("%s", (word, value) => {
    const [name = ""] = word.split("=");
    expect(parsePairs([word]).toArguments(schema)).toEqual({ [name]: value });
  });

  test("treats __proto__ as a plain name", () => {
    const args = parsePairs(["__proto__=1"]).toArguments(undefined);
    expect(JSON.stringify(args)).toBe('{"__proto__":1}');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });
});

test.each<[object, string]>([
  [{}, "(no content)"],
  [{ content: [], structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
  [{ content: [{ type: "text", text: "a\r\nb\u0007" }] }, "a\nb"],
  [{ content: [{ type: "resource_link", uri: "x://y" }] }, "[link x://y]"],
  [{ content: [{ type: "resource", resource: { uri: "x://y", text: "inside" } }] }, "inside"],
  [
    { content: [{ type: "resource", resource: { uri: "x://y", blob: "AAA=" } }] },
    "[resource x://y, 2 bytes]",
  ],
  [
    { content: [{ type: "audio", mimeType: "audio/wav", data: "AAAA" }, 7, null] },
    "[audio audio/wav, 3 bytes]",
  ],
])("formats the result %j as text", (result, text) => {
  expect(describeResult(result as Record<string, unknown>)).toBe(text);
});

describe("form fields", () => {
  const fields = readFields({
    properties: {
      text: { type: "string", minLength: 2, maxLength: 4 },
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 1, maximum: 5 },
      isOn: { type: "boolean" },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      size: {
        oneOf: [
          { const: "2", title: "Two" },
          { const: "1", title: "One" },
        ],
      },
      tags: { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 },
    },
  });
  test.each<[string, string, unknown]>([
    ["text", "abc", "abc"],
    ["text", "a", "must have at least 2 characters"],
    ["text", "abcde", "must have at most 4 characters"],
    ["mail", "a@b.c", "a@b.c"],
    ["mail", "nobody", "must be a valid email"],
    ["day", "tomorrow", "must be a valid date"],
    ["count", " 3 ", 3],
    ["count", "1.5", "must be an integer"],
    ["count", "", "must be an integer"],
    ["count", "6", "must be at most 5"],
    ["isOn", "Yes", true],
    ["isOn", "n", false],
    ["isOn", "maybe", "must be yes or no"],
    ["color", "g", "g"],
    ["color", "red", "r"],
    ["color", "2", "g"],
    ["color", "3", "must be one of r, g"],
    ["size", "2", "2"],
    ["size", "one", "1"],
    ["tags", "a, 3", ["a", "c"]],
    ["tags", "a,b,c", "must have at most 2 values"],
    ["tags", "x", "must contain only valid values; each must be one of a, b, c"],
  ])("first-run-e: %s reads %j as %j", (name, text, expected) => {
    const field = fields.find((one) => one.name === name);
    const parsed = field === undefined ? undefined : parseField(field, text);
    expect(parsed?.ok === true ? parsed.value : parsed?.problem).toEqual(expected);
  });
});

test("first-run-e: arguments are described by their types", () => {
  const schema = {
    $defs: { Id: { type: "string", description: "An id" } },
    properties: {
      id: { $ref: "#/$defs/Id" },
      at: { type: "string", format: "date-time" },
      mode: { const: "fast" },
      either: { anyOf: [{ type: "integer" }, { type: "null" }] },
      list: { type: "array", items: { enum: ["a", 1] } },
      loop: { $ref: "#/properties/loop" },
      open: {},
    },
    required: ["id"],
  };
  expect(describeArguments(schema).map(({ name, type }) => `${name}: ${type}`)).toEqual([
    "id: string, required",
    "at: string (date-time)",
    'mode: "fast"',
    "either: integer | null",
    'list: ("a" | 1)[]',
    "loop: any",
    "open: any",
  ]);
  expect(describeArguments(schema)[0]?.description).toBe("An id");
});
