import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openJson } from "../../src/install/edit/json.js";

const LAX = { container: "mcpServers", comments: true, trailingCommas: true };
const STRICT = { container: "mcpServers", comments: false, trailingCommas: false };
const ENTRY = { command: "node", args: ["a.js"] };

describe("an entry is added without changes to the rest of the file", () => {
  test.each<[label: string, before: string, after: string]>([
    ["an empty file", "", '{\n  "mcpServers": {\n    "new": {\n      "url": "u"\n    }\n  }\n}\n'],
    ["whitespace", " \n\n", '{\n  "mcpServers": {\n    "new": {\n      "url": "u"\n    }\n  }\n}\n'],
    ["an empty object", "{}", '{\n  "mcpServers": {\n    "new": {\n      "url": "u"\n    }\n  }\n}'],
    [
      "only comments",
      "// servers\n",
      '// servers\n{\n  "mcpServers": {\n    "new": {\n      "url": "u"\n    }\n  }\n}\n',
    ],
    [
      "other members, tabs, and no line break at the end",
      '{\n\t"theme": "dark"\n}',
      '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"new": {\n\t\t\t"url": "u"\n\t\t}\n\t}\n}',
    ],
    [
      "an empty container with four spaces",
      '{\n    "mcpServers": {},\n    "b": 1\n}\n',
      '{\n    "mcpServers": {\n        "new": {\n            "url": "u"\n        }\n    },\n    "b": 1\n}\n',
    ],
    [
      "Windows line breaks",
      '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
      '{\r\n  "mcpServers": {\r\n    "a": {},\r\n    "new": {\r\n      "url": "u"\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      "a comment after the last entry",
      '{\n  "mcpServers": {\n    "a": {} // keep\n    /* and\n       this */\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": {}, // keep\n    /* and\n       this */\n    "new": {\n      "url": "u"\n    }\n  }\n}\n',
    ],
    [
      "a trailing comma",
      '{\n  "mcpServers": {\n    "a": {}, // x\n  },\n}\n',
      '{\n  "mcpServers": {\n    "a": {}, // x\n    "new": {\n      "url": "u"\n    },\n  },\n}\n',
    ],
    [
      "a container with only a comment",
      '{\n  "mcpServers": {\n    // none, yet: {}\n  }\n}\n',
      '{\n  "mcpServers": {\n    // none, yet: {}\n    "new": {\n      "url": "u"\n    }\n  }\n}\n',
    ],
    [
      "a container with a comment on the same line",
      '{\n  "mcpServers": { /* none */ }\n}\n',
      '{\n  "mcpServers": { /* none */\n    "new": {\n      "url": "u"\n    }\n  }\n}\n',
    ],
    [
      "a file on one line",
      '{"mcpServers":{"a":{}},"b":1}',
      '{"mcpServers":{"a":{},"new":{"url":"u"}},"b":1}',
    ],
    ["an empty container on one line", '{"mcpServers":{}}', '{"mcpServers":{"new":{"url":"u"}}}'],
    [
      "spaces on one line",
      '{"mcpServers": {"a": {}, "c": {}}}',
      '{"mcpServers": {"a": {}, "c": {}, "new": {"url":"u"}}}',
    ],
    [
      "a container on one line of several",
      '{\n  "mcpServers": { "a": {} } // x\n}\n',
      '{\n  "mcpServers": { "a": {}, "new": {"url":"u"} } // x\n}\n',
    ],
  ])("%s", (_label, before, after) => {
    const document = openJson(before, LAX);
    expect(document.set("new", { url: "u" })).toBe(after);
    expect(openJson(after, LAX).read("new")).toEqual({ url: "u" });
  });

  test("strings that look like comments, and escapes, are not touched", () => {
    const before =
      '{\n  "a": "// not \\" a comment, {",\n  "mcpServers": {\n    "x": { "url": "http://h/*" }\n  }\n}\n';
    const after = openJson(before, STRICT).set("new", ENTRY);
    expect(after.startsWith(before.slice(0, before.indexOf("\n  }\n}")))).toBe(true);
    expect(openJson(after, STRICT).remove("new")).toBe(before);
  });

  test("replacing an entry changes only its value", () => {
    const before = '{\n  // one\n  "mcpServers": {\n    "a": { "url": "x" }, // two\n    "b": {}\n  }\n}\n';
    expect(openJson(before, LAX).set("a", { url: "y" })).toBe(
      '{\n  // one\n  "mcpServers": {\n    "a": {\n      "url": "y"\n    }, // two\n    "b": {}\n  }\n}\n',
    );
  });
});

describe("an entry is removed without changes to the rest of the file", () => {
  test.each<[label: string, before: string, after: string]>([
    ["the only entry", '{\n  "mcpServers": {\n    "old": {}\n  }\n}\n', '{\n  "mcpServers": {}\n}\n'],
    [
      "the first entry",
      '{\n  "mcpServers": {\n    // about old\n    "old": {}, // x\n    "b": {}\n  }\n}\n',
      '{\n  "mcpServers": {\n    // about old // x\n    "b": {}\n  }\n}\n',
    ],
    [
      "the last entry",
      '{\n  "mcpServers": {\n    "a": {}, // x\n    "old": {}\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": {} // x\n  }\n}\n',
    ],
    ["an entry on one line", '{"mcpServers":{"a":{},"old":{},"b":{}}}', '{"mcpServers":{"a":{},"b":{}}}'],
    [
      "an entry between a line comment and the end of the object",
      '{\n  "mcpServers": {\n    // keep\n    "old": {} }\n}\n',
      '{\n  "mcpServers": {\n    // keep\n }\n}\n',
    ],
  ])("%s", (_label, before, after) => {
    expect(openJson(before, LAX).remove("old")).toBe(after);
  });

  test("an unknown entry changes nothing", () => {
    expect(openJson('{ "mcpServers": {} }', LAX).remove("x")).toBe('{ "mcpServers": {} }');
    expect(openJson("", LAX).remove("x")).toBe("");
  });
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const names = fc.stringMatching(/^[a-z/*",{}#:\\ -]{1,12}$/);
const entries = fc.dictionary(names, fc.dictionary(names, fc.oneof(leaf, fc.array(leaf))), { minKeys: 1 });

test("property: removing an added entry restores the bytes", () => {
  fc.assert(
    fc.property(
      fc.dictionary(names, leaf),
      entries,
      fc.constantFrom(0, 1, 2, 4, "\t"),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\n"),
      (others, servers, indent, lineBreak, end) => {
        const value = { ...others, mcpServers: servers, last: 1 };
        const before = JSON.stringify(value, null, indent).replaceAll("\n", lineBreak) + end;
        const after = openJson(before, STRICT).set("NEW", ENTRY);
        expect(JSON.parse(after)).toEqual({ ...value, mcpServers: { ...servers, NEW: ENTRY } });
        expect(openJson(after, STRICT).remove("NEW")).toBe(before);
      },
    ),
  );
});

describe("a file that is not valid is rejected with the place", () => {
  test.each<[string, string, { line: number; column: number } | undefined]>([
    ['{\n  "a": 1\n  "b": 2\n}', "Expected a comma", { line: 3, column: 3 }],
    ['{\n  "a": 1,\n}', "Expected a property name in double quotes", { line: 3, column: 1 }],
    ['{\n  // x\n  "a": 1\n}', "Comments are not allowed in this client's file", { line: 2, column: 3 }],
    ['{ "a": "x', "Unclosed string", { line: 1, column: 8 }],
    ['{ "a": 1', "Expected a closing brace", { line: 1, column: 9 }],
    ['{} {"b": 1}', "Expected the end of the file", { line: 1, column: 4 }],
    ["[]", "It must contain an object; got array", { line: 1, column: 1 }],
    ['{\n "mcpServers": []\n}', '"mcpServers" must be an object; got array', { line: 2, column: 16 }],
    ['{ "mcpServers": null }', '"mcpServers" must be an object; got null', { line: 1, column: 17 }],
    ['{ "mcpServers": {}, "mcpServers": {} }', '"mcpServers" appears twice', { line: 1, column: 21 }],
    ['{ "mcpServers": { "a": {}, "a": {} } }', '"a" appears twice', { line: 1, column: 28 }],
    [`{"a":${"[".repeat(200_000)}`, "It is nested too deeply", undefined],
  ])("%j", (text, reason, place) => {
    expect(() => openJson(text, STRICT)).toThrow(expect.objectContaining({ message: reason, place }));
  });

  test("names from the prototype are ordinary names", () => {
    const after = openJson('{"mcpServers":{}}', STRICT).set("constructor", ENTRY);
    expect(after).toBe('{"mcpServers":{"constructor":{"command":"node","args":["a.js"]}}}');
    expect(openJson("{}", STRICT).read("constructor")).toBeUndefined();
  });
});

test("redaction hides the values of variables and headers, and nothing else", () => {
  const text =
    '{ "env": {"A": "s1"}, "mcpServers": { "a": { "env": { "K": "s2", "N": 5 }, "headers": {"H":"s3"}, "url": "u" } } }';
  expect(openJson(text, STRICT).redacted()).toBe(
    '{ "env": {"A": "[REDACTED]"}, "mcpServers": { "a": { "env": { "K": "[REDACTED]", "N": "[REDACTED]" }, ' +
      '"headers": {"H":"[REDACTED]"}, "url": "u" } } }',
  );
});
