import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, type MessageLimits, parseFrame } from "../../src/protocol/parse.js";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");
const limits = (some: Partial<MessageLimits>): MessageLimits => ({ ...DEFAULT_LIMITS, ...some });

test("the default limits are 4 MiB, 64 levels, 25,000 values and 100 messages", () => {
  expect(DEFAULT_LIMITS).toEqual({ maxBytes: 4_194_304, maxDepth: 64, maxValues: 25_000, maxBatch: 100 });
});

describe.each([
  ["text", (text: string) => text],
  ["bytes", bytes],
] as const)("a frame of %s", (_kind, frame) => {
  test.each([
    ["an object", '{"a":[1,null,"é世😀"]}', { a: [1, null, "é世😀"] }],
    ["an array", "[]", []],
    ["null", "null", null],
    ["white space around it", " \n{}\t", {}],
  ])("with %s is parsed", (_case, text, value) => {
    expect(parseFrame(frame(text))).toEqual({ ok: true, value });
  });

  test.each(["", " ", "{", "{]", "nul", "{'a':1}", "[1,]", '{"a":1}{"b":2}', "\u{feff}{}", '"\u{1}"'])(
    "with %j is not JSON",
    (text) => {
      expect(parseFrame(frame(text))).toEqual({
        ok: false,
        error: "PARSE_ERROR",
        reason: "The message is not valid JSON.",
      });
    },
  );

  test.each([
    ["ASCII", '"aaaaaaaa"', 10],
    ["two-byte letters", '"éééé"', 10],
    ["three-byte letters", '"世世世"', 11],
    ["four-byte letters", '"😀😀"', 10],
  ])("of %s is measured in bytes: %s has %i", (_case, text, size) => {
    const value: unknown = JSON.parse(text);
    expect(parseFrame(frame(text), limits({ maxBytes: size }))).toEqual({ ok: true, value });
    expect(parseFrame(frame(text), limits({ maxBytes: size - 1 }))).toEqual({
      ok: false,
      error: "INVALID_REQUEST",
      reason: `The message is too large (limit: ${size - 1} bytes).`,
    });
  });

  test("over 4 MiB is rejected before it is parsed", () => {
    expect(parseFrame(frame("[".repeat(4_194_305)))).toEqual({
      ok: false,
      error: "INVALID_REQUEST",
      reason: "The message is too large (limit: 4194304 bytes).",
    });
  });

  test("of 4 MiB is accepted", () => {
    expect(parseFrame(frame(`"${"a".repeat(4_194_302)}"`)).ok).toBe(true);
  });

  test("can be nested 64 levels deep and no deeper", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(parseFrame(frame(nested(64))).ok).toBe(true);
    expect(parseFrame(frame(nested(65)))).toEqual({
      ok: false,
      error: "INVALID_REQUEST",
      reason: "The message is nested deeper than 64 levels.",
    });
  });

  test("counts the depth of objects and arrays", () => {
    const text = '{"a":[{"b":[1]}]}';
    expect(parseFrame(frame(text), limits({ maxDepth: 4 })).ok).toBe(true);
    expect(parseFrame(frame(text), limits({ maxDepth: 3 }))).toMatchObject({
      reason: "The message is nested deeper than 3 levels.",
    });
  });

  test.each([
    ["brackets", String.raw`{"a":"[[[[{{{{"}`],
    ["escaped quotes and brackets", String.raw`{"a":"\"[[[[\"{{{{"}`],
    ["escaped backslashes before the end", String.raw`{"a":"\\","b":"[[[[\\\""}`],
    ["escaped letters", String.raw`{"a":"\u005b\u005b\u005b"}`],
  ])("ignores brackets in strings with %s", (_case, text) => {
    expect(parseFrame(frame(text), limits({ maxDepth: 1 }))).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test("can have 25,000 values and no more", () => {
    const items = (count: number) => `[${Array.from({ length: count }, () => "0").join(",")}]`;
    expect(parseFrame(frame(items(24_999))).ok).toBe(true);
    expect(parseFrame(frame(items(25_000)))).toEqual({
      ok: false,
      error: "INVALID_REQUEST",
      reason:
        "The message has more than 25000 values. Send a smaller message, or raise `maxValues` on the server.",
    });
  });

  test.each([
    ["elements", "[1,2,3]", 4],
    ["members", '{"a":1,"b":2,"c":3}', 4],
    ["levels", '{"a":[{"b":[]}]}', 4],
    ["empty containers", "[[],{},[ ],{\n}]", 5],
    ["strings with structure in them", String.raw`["a,b,[c]","{\"d\":1,2}"]`, 3],
  ])("counts %s", (_case, text, count) => {
    expect(parseFrame(frame(text), limits({ maxValues: count })).ok).toBe(true);
    expect(parseFrame(frame(text), limits({ maxValues: count - 1 }))).toEqual({
      ok: false,
      error: "INVALID_REQUEST",
      reason: `The message has more than ${count - 1} values. Send a smaller message, or raise \`maxValues\` on the server.`,
    });
  });

  test("is checked for depth before it is parsed", () => {
    expect(parseFrame(frame("[".repeat(100_000)))).toMatchObject({ error: "INVALID_REQUEST" });
  });

  test.each([
    ["__proto__", '{"params":{"__proto__":{"polluted":true},"a":1}}'],
    ["an escaped __proto__", String.raw`{"params":{"\u005f_proto__":{"polluted":true},"a":1}}`],
    ["constructor.prototype", '{"params":{"constructor":{"prototype":{"polluted":true}},"a":1}}'],
  ])("loses %s", (_case, text) => {
    const outcome = parseFrame(frame(text));
    expect(JSON.stringify(outcome)).toBe('{"ok":true,"value":{"params":{"a":1}}}');
    Object.assign({}, outcome.ok ? outcome.value : undefined);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("bytes that are not UTF-8", () => {
  test.each([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a letter cut short", [0x22, 0xe4, 0xb8]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("are rejected: %s", (_case, octets) => {
    expect(parseFrame(Uint8Array.from(octets))).toEqual({
      ok: false,
      error: "PARSE_ERROR",
      reason: "The message is not valid UTF-8.",
    });
  });
});
