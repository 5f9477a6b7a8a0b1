import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePairs } from "../src/call-arguments.js";
import { describeResult } from "../src/call-result.js";
import { toHeaderValue } from "../src/client/client.js";
import { decodeHeaderValue } from "tenon/protocol";

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
    expect(parsePairs([word])(schema)).toEqual({ [name]: value });
  });

  test("treats __proto__ as a plain name", () => {
    const args = parsePairs(["__proto__=1"])(undefined);
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

test("any value survives the conversion to a header", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
      const header = toHeaderValue(value);
      expect(new Headers({ x: header }).get("x")).toBe(header);
      expect(decodeHeaderValue(header)).toBe(value);
    }),
  );
});
