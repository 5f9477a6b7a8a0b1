import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { openYaml } from "../../src/install/edit/yaml.js";

const open = (text: string) => openYaml(text, "extensions");
const ENTRY = { type: "stdio", args: ["-y"] };
const LINES = '  new:\n    type: "stdio"\n    args:\n      - "-y"\n';

describe("an entry is added without changes to the rest of the file", () => {
  test.each<[label: string, before: string, after: string]>([
    ["an empty file", "", `extensions:\n${LINES}`],
    ["only comments", "# mine\n", `# mine\nextensions:\n${LINES}`],
    ["an empty mapping", "{}\n", `extensions:\n${LINES}`],
    ["other settings", "GOOSE_MODEL: x # y\n", `GOOSE_MODEL: x # y\nextensions:\n${LINES}`],
    ["an empty container", "extensions: {}\nb: 1\n", `extensions:\n${LINES}b: 1\n`],
    ["a container without a value", "extensions: # none\nb: 1\n", `extensions: # none\n${LINES}b: 1\n`],
    ["null", "a: 1\nextensions: null # none\n", `a: 1\nextensions: # none\n${LINES}`],
    [
      "other entries, comments, and odd spacing",
      "# top\nextensions:\n  a:\n    enabled:   true # on\n\n  # b is off\n\nGOOSE_MODEL:   'x'\n",
      `# top\nextensions:\n  a:\n    enabled:   true # on\n${LINES}\n  # b is off\n\nGOOSE_MODEL:   'x'\n`,
    ],
    [
      "four spaces, and no line break at the end",
      "extensions:\n    a:\n        enabled: true",
      'extensions:\n    a:\n        enabled: true\n    new:\n      type: "stdio"\n      args:\n        - "-y"',
    ],
    [
      "Windows line breaks",
      "extensions:\r\n  a:\r\n    enabled: true\r\nb: 1\r\n",
      `extensions:\r\n  a:\r\n    enabled: true\r\n${LINES.replaceAll("\n", "\r\n")}b: 1\r\n`,
    ],
    [
      "a block scalar at the end",
      "extensions:\n  a:\n    description: |\n      one\n\n      two: 2\nb: 1\n",
      `extensions:\n  a:\n    description: |\n      one\n\n      two: 2\n${LINES}b: 1\n`,
    ],
    [
      "a document start and end",
      "---\nextensions:\n  a: {enabled: true}\n...\n",
      `---\nextensions:\n  a: {enabled: true}\n${LINES}...\n`,
    ],
  ])("%s", (_label, before, after) => {
    expect(open(before).set("new", ENTRY)).toBe(after);
    expect(open(after).read("new")).toEqual(ENTRY);
  });

  test("replacing an entry changes only its lines", () => {
    const before = "extensions:\n  a:\n    enabled: true # on\n  new:\n    type: sse\n  b: {} # c\n";
    expect(open(before).set("new", ENTRY)).toBe(
      `extensions:\n  a:\n    enabled: true # on\n${LINES}  b: {} # c\n`,
    );
  });

  // Goose reads YAML 1.1, which takes the first three characters for line breaks.
  test.each(["\u0085", "\u2028", "\u2029", "\u009b", "\u202e", "\u007f", "\ufeff"])(
    "the character %j is escaped, and the string survives",
    (character) => {
      const value = `a${character}- b: c${character}`;
      const after = open("a: 1\n").set("new", { args: [value], envs: { K: value } });
      expect(after).not.toContain(character);
      for (const version of ["1.1", "1.2"] as const)
        expect(parse(after, { version })).toEqual({
          a: 1,
          extensions: { new: { args: [value], envs: { K: value } } },
        });
      expect(open(after).read("new")).toEqual({ args: [value], envs: { K: value } });
    },
  );

  test.each(["yes", "null", "0x1f", "a: b", "# c", "two\nlines", "ends with space ", "é\u0007", "1e3", "~"])(
    "the string %j survives",
    (value) => {
      const after = open("a: 1\n").set("n", { envs: { K: value } });
      expect(parse(after)).toEqual({ a: 1, extensions: { n: { envs: { K: value } } } });
    },
  );
});

describe("an entry is removed without changes to the rest of the file", () => {
  test.each<[label: string, before: string, after: string]>([
    ["the only entry", `extensions: # mine\n${LINES}b: 1\n`, "extensions: {} # mine\nb: 1\n"],
    ["the first entry", `extensions:\n${LINES}  # about b\n  b: {}\n`, "extensions:\n  # about b\n  b: {}\n"],
    [
      "the last entry without a line break",
      `extensions:\n  a: {}\n${LINES.trimEnd()}`,
      "extensions:\n  a: {}",
    ],
  ])("%s", (_label, before, after) => {
    expect(open(before).remove("new")).toBe(after);
  });
});

const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/);
const value = fc.oneof(
  fc.string(),
  fc.constantFrom("a\nb\n", "x\n\n", " lead", "trail ", "- a", "{a", "#"),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(key, fc.string(), { maxKeys: 3 }),
);
const extensions = fc.dictionary(key, fc.dictionary(key, value, { minKeys: 1 }), { minKeys: 1 });

test("property: removing an added entry restores the bytes", () => {
  fc.assert(
    fc.property(
      fc.dictionary(key, value, { maxKeys: 3 }),
      extensions,
      fc.boolean(),
      fc.constantFrom(2, 4),
      (others, servers, isFirst, indent) => {
        const whole = isFirst ? { extensions: servers, ...others } : { ...others, extensions: servers };
        const before = stringify(whole, { indent });
        const after = open(before).set("NEW", ENTRY);
        expect(parse(after)).toEqual({ ...whole, extensions: { ...servers, NEW: ENTRY } });
        expect(open(after).remove("NEW")).toBe(before);
      },
    ),
  );
});

describe("a file that is not valid is rejected with the place", () => {
  test.each<[string, string, number | undefined]>([
    ["a: 1\nb: [1\n", "Flow sequence in block collection must be sufficiently indented and end with a ]", 3],
    ["a: 1\na: 2\n", "Map keys must be unique", 2],
    ["- a\n", "The file must be a mapping", 1],
    ["extensions: [a]\n", '"extensions" must be a mapping', 1],
    ["x: &a {}\nextensions: *a\n", '"extensions" must be a mapping', 2],
    [
      "a: 1\nextensions: {b: {}}\n",
      '"extensions" is written in braces, and only indented lines can be changed',
      2,
    ],
    ["a: 1\n---\nb: 2\n", "It must contain only one document", 2],
  ])("%j", (text, reason, line) => {
    const place = line === undefined ? undefined : expect.objectContaining({ line });
    expect(() => open(text)).toThrow(expect.objectContaining({ message: reason, place }));
  });

  test("the message does not contain the text of the file", () => {
    let message = "";
    try {
      open("a: 1\n  s3cret: @x\n b\n");
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain("ConfigProblem");
    expect(message).not.toContain("s3cret");
  });

  test("too many aliases are rejected", () => {
    const lines = Array.from(
      { length: 12 },
      (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}*a${n}]`,
    );
    const text = `a0: &a0 [x]\n${lines.join("\n")}\n`;
    expect(() => open(text)).toThrow("Excessive alias count");
  });
});

test("redaction hides the values of variables and headers, and nothing else", () => {
  const text =
    'extensions:\n  a:\n    cmd: npx\n    envs:\n      K: s1\n      P: |\n        s2\n        s3\n    headers: { H: "s4" }\n';
  expect(open(text).redacted()).toBe(
    'extensions:\n  a:\n    cmd: npx\n    envs:\n      K: "[REDACTED]"\n      P: "[REDACTED]"\n' +
      '    headers: { H: "[REDACTED]" }\n',
  );
});
