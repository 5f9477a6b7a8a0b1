import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPairs } from "../src/call-arguments.js";
import { describeResult } from "../src/call-result.js";
import { toHeaderValue } from "../src/client/client.js";
import { defaultName } from "../../create-tenon/src/choices.js";
import { fillEnvFile } from "../../create-tenon/src/env-file.js";
import { checkPackageName, toPackageName } from "../../create-tenon/src/package-name.js";
import { hasColours, harmless, oneLine, twoColumns } from "@tenon/internal/command-line/text";
import { decodeHeaderValue } from "tenon/protocol";

describe("names of packages", () => {
  test.each(["a", "my-server", "@me/my.server_2", "x".repeat(214)])("npm takes %s", (name) => {
    expect(checkPackageName(name)).toEqual({ ok: true });
  });

  test.each<[string, string, string | undefined]>([
    ["", "it is empty", undefined],
    ["x".repeat(215), "it is longer than 214 characters", "x".repeat(100)],
    ["a/b", "it is not of the form name or @scope/name", "a-b"],
    ["@me/", "it is not of the form name or @scope/name", "me"],
    ["Ärger", "it has capital letters", "arger"],
    ["_x", "it begins with a dot or an underscore", "x"],
    ["a b", "it has characters that do not belong in an address", "a-b"],
    ["node_modules", "it is taken by Node or npm", undefined],
    ["日本", "it has characters that do not belong in an address", undefined],
  ])("npm does not take %j", (name, reason, suggested) => {
    expect(checkPackageName(name)).toEqual({ ok: false, reason, suggested });
  });

  test("whatever is suggested is taken", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const check = checkPackageName(text);
        if (!check.ok && check.suggested !== undefined)
          expect(checkPackageName(check.suggested)).toEqual({ ok: true });
        expect(checkPackageName(defaultName(`/home/${text}`))).toEqual({ ok: true });
        expect(toPackageName(text)).not.toMatch(/\.\.\/|^\//);
      }),
    );
  });
});

describe("settings", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["", { A: "1" }, "A=1\n"],
    ["A=\nB=2\n", { A: "1" }, "A=1\nB=2\n"],
    ["# A=old\n# about A\n", { A: "1" }, "A=1\n# about A\n"],
    ["#A=\nA=2\n\n\n", { A: "1", C: "3" }, "A=1\nA=2\nC=3\n"],
    ["B=$A\n", {}, "B=$A\n"],
  ])("%j with %j", (example, values, filled) => {
    expect(fillEnvFile(example, values)).toBe(filled);
  });
});

describe("arguments by name", () => {
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
    expect(readPairs([word])(schema)).toEqual({ [name]: value });
  });

  test("a name that reaches for the prototype stays a name", () => {
    const args = readPairs(["__proto__=1"])(undefined);
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
])("the result %j is shown as text", (result, text) => {
  expect(describeResult(result as Record<string, unknown>)).toBe(text);
});

describe("text for a terminal", () => {
  test("nothing that steers a terminal survives", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(harmless(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(oneLine(text)).not.toMatch(/\p{Cc}/u);
        expect(oneLine(text, 10).length).toBeLessThanOrEqual(10);
      }),
    );
  });

  test("columns fit the width", () => {
    expect(
      twoColumns(
        [
          ["a", "x".repeat(90)],
          ["long", ""],
        ],
        40,
      ),
    ).toEqual([`  a     ${"x".repeat(31)}…`, "  long"]);
  });

  test.each<[boolean | undefined, Readonly<Record<string, string>>, boolean]>([
    [true, {}, true],
    [true, { NO_COLOR: "" }, true],
    [true, { NO_COLOR: "0" }, false],
    [true, { TERM: "dumb" }, false],
    [undefined, {}, false],
  ])("a stream with isTTY %j and %j has colours: %j", (isTTY, env, expected) => {
    expect(hasColours(Object.assign(new PassThrough(), { isTTY }), env)).toBe(expected);
  });
});

test("a value survives as a header, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
      const header = toHeaderValue(value);
      expect(new Headers({ x: header }).get("x")).toBe(header);
      expect(decodeHeaderValue(header)).toBe(value);
    }),
  );
});
