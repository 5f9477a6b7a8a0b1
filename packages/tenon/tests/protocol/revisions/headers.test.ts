import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRpcRequest } from "../../../src/protocol/json-rpc.js";
import {
  checkParamHeaders,
  checkStandardHeaders,
  decodeHeaderValue,
  headersAgree,
  type HeaderReader,
  type HeaderRule,
} from "../../../src/protocol/revisions/headers.js";
import { METHODS } from "../../../src/protocol/revisions/methods.js";

/** Reads headers as a transport does: by lower-case name, `null` if absent. */
const headers =
  (values: Readonly<Record<string, string>>): HeaderReader =>
  (name) =>
    values[name] ?? null;

const encoded = (text: string): string => `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

const request = (method: string, params: Readonly<Record<string, unknown>> = {}): JsonRpcRequest => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
});

const standard = (method: string, name?: string): HeaderReader =>
  headers({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  });

describe("the version and method headers", () => {
  const list = request("tools/list");

  test.each([
    ["agree with the body", { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }, undefined],
    [
      "can have surrounding whitespace",
      { "mcp-protocol-version": " \t2026-07-28 ", "mcp-method": "\ttools/list\t" },
      undefined,
    ],
    [
      "must be there: no version",
      { "mcp-method": "tools/list" },
      "The MCP-Protocol-Version header is required and must match the body.",
    ],
    [
      "must be there: no method",
      { "mcp-protocol-version": "2026-07-28" },
      "The Mcp-Method header is required and must match the body.",
    ],
    [
      "must match: a different version",
      { "mcp-protocol-version": "2025-11-25", "mcp-method": "tools/list" },
      'The MCP-Protocol-Version header must match the body ("2026-07-28"); got "2025-11-25".',
    ],
    [
      "must match: a different method",
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" },
      'The Mcp-Method header must match the body ("tools/list"); got "tools/call".',
    ],
    [
      "must match: the method in a different case",
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "Tools/List" },
      'The Mcp-Method header must match the body ("tools/list"); got "Tools/List".',
    ],
    [
      "must match: an empty method",
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "" },
      'The Mcp-Method header must match the body ("tools/list"); got "".',
    ],
    [
      "are not decoded: an encoded method does not match",
      { "mcp-protocol-version": "2026-07-28", "mcp-method": encoded("tools/list") },
      `The Mcp-Method header must match the body ("tools/list"); got "${encoded("tools/list")}".`,
    ],
  ])("%s", (_case, values, expected) => {
    expect(checkStandardHeaders(list, headers(values))).toBe(expected);
  });

  test("can be absent as null or undefined", () => {
    expect(checkStandardHeaders(list, () => undefined)).toBe(
      "The MCP-Protocol-Version header is required and must match the body.",
    );
    expect(checkStandardHeaders(list, () => null)).toBe(
      "The MCP-Protocol-Version header is required and must match the body.",
    );
  });

  test("must match a body without a version", () => {
    const bare: JsonRpcRequest = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(checkStandardHeaders(bare, standard("tools/list"))).toBe(
      'The MCP-Protocol-Version header must match the body; got "2026-07-28".',
    );
  });
});

const malformed = (name: string, raw: string) =>
  `The ${name} header must be printable ASCII or "=?base64?<UTF-8 in base64>?="; got "${raw}".`;

describe("the name header", () => {
  const mismatch = (expected: string, got: string) =>
    `The Mcp-Name header must match the body ("${expected}"); got "${got}".`;

  test.each([
    ["tools/call", "name"],
    ["prompts/get", "name"],
    ["resources/read", "uri"],
    ["tasks/get", "taskId"],
    ["tasks/update", "taskId"],
    ["tasks/cancel", "taskId"],
  ])("of %s repeats params.%s", (method, key) => {
    const message = request(method, { [key]: "one" });
    expect(checkStandardHeaders(message, standard(method, "one"))).toBeUndefined();
    expect(checkStandardHeaders(message, standard(method))).toBe(
      "The Mcp-Name header is required and must match the body.",
    );
    expect(checkStandardHeaders(message, standard(method, "two"))).toBe(
      'The Mcp-Name header must match the body ("one"); got "two".',
    );
  });

  test.each(["tools/list", "resources/list", "server/discover", "completion/complete", "tasks/result"])(
    "is not required for %s",
    (method) => {
      const message = request(method, { name: "one", taskId: "one" });
      expect(checkStandardHeaders(message, standard(method))).toBeUndefined();
    },
  );

  test.each([
    ["plain", "get_weather", "get_weather", undefined],
    ["with white space around it", "get_weather", "  get_weather\t", undefined],
    ["encoded without need", "get_weather", encoded("get_weather"), undefined],
    ["encoded, outside ASCII", "wetter_für_世界", encoded("wetter_für_世界"), undefined],
    ["encoded, with spaces around it", " padded ", encoded(" padded "), undefined],
    ["in other letters", "get_weather", "Get_Weather", mismatch("get_weather", "Get_Weather")],
    ["encoded, with a different name", "a", encoded("b"), mismatch("a", "b")],
    ["raw, outside ASCII", "für", "für", malformed("Mcp-Name", "f?r")],
    ["encoded without padding", "a", "=?base64?YQ?=", malformed("Mcp-Name", "=?base64?YQ?=")],
    ["empty", "a", "", mismatch("a", "")],
  ])("%s: %j, %j", (_case, name, header, expected) => {
    expect(checkStandardHeaders(request("tools/call", { name }), standard("tools/call", header))).toBe(
      expected,
    );
  });

  test.each([[undefined], [7], [null]])(
    "is not checked against a body whose name is %s, which is rejected later",
    (name) => {
      expect(checkStandardHeaders(request("tools/call", { name }), standard("tools/call"))).toBeUndefined();
    },
  );
});

describe("the parameter that the name header repeats", () => {
  const EXPECTED: Readonly<Record<string, "name" | "uri" | "taskId">> = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
  };
  const VALUES = { name: "the-name", uri: "the://uri", taskId: "the-task" } as const;
  const fields = Object.entries(VALUES);
  /** All combinations of the three parameters. */
  const combinations = Array.from({ length: 8 }, (_, bits) =>
    Object.fromEntries(fields.filter((_field, index) => (bits & (1 << index)) !== 0)),
  );
  const methods = [...new Set([...METHODS.modern, ...METHODS.legacy, ...Object.keys(EXPECTED), "custom/x"])];

  test.each(methods)("of %s is the only one that counts", (method) => {
    const field = EXPECTED[method];
    for (const params of combinations) {
      const expected = field === undefined ? undefined : params[field];
      for (const header of [undefined, ...Object.values(VALUES)]) {
        const message = request(method, params);
        const read = standard(method, header);
        const passes = expected === undefined || expected === header;
        const shown = { params, header };
        expect({ ...shown, passes: checkStandardHeaders(message, read) === undefined }).toEqual({
          ...shown,
          passes,
        });
        expect({ ...shown, agree: headersAgree(message, read) }).toEqual({
          ...shown,
          agree: field === undefined || (expected !== undefined && expected === header),
        });
      }
    }
  });
});

describe("a header's value", () => {
  test.each([
    ["us-west1", "us-west1"],
    ["", ""],
    ["a b\tc", "a b\tc"],
    ["=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"],
    ["=?base64?IHBhZGRlZCA=?=", " padded "],
    ["=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"],
    ["=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="],
    ["=?base64??=", ""],
    ["=?base64?abc", "=?base64?abc"],
    ["abc?=", "abc?="],
    ["=?BASE64?YQ==?=", "=?BASE64?YQ==?="],
    ["=?utf-8?B?YQ==?=", "=?utf-8?B?YQ==?="],
  ])("%j decodes to %j", (raw, expected) => {
    expect(decodeHeaderValue(raw)).toBe(expected);
  });

  test.each([
    ["base64 without padding", "=?base64?SGVsbG8?="],
    ["base64 with bits set behind its last byte", "=?base64?YR==?="],
    ["base64 in the alphabet of URLs", "=?base64?-_-_?="],
    ["base64 with white space", "=?base64?SGVs bG8=?="],
    ["base64 of bytes that are not UTF-8", "=?base64?/w==?="],
    ["a letter outside ASCII", "für"],
    ["a line break", "a\nb"],
    ["a carriage return", "a\rb"],
    ["a null character", "a\u{0}"],
    ["a delete character", "a\u{7f}"],
  ])("is malformed: %s", (_case, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined();
  });

  test("is not empty base64 if its prefix and suffix overlap", () => {
    expect(decodeHeaderValue("=?base64?=")).not.toBe("");
  });

  test("keeps a byte order mark", () => {
    expect(decodeHeaderValue(encoded("\u{feff}a"))).toBe("\u{feff}a");
  });

  test("decodes to the encoded value for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(decodeHeaderValue(encoded(text))).toBe(text);
      }),
    );
  });
});

describe("a tool's headers", () => {
  const rule = (type: HeaderRule["type"], ...path: string[]): HeaderRule => ({
    header: "mcp-param-x",
    path: path.length === 0 ? ["x"] : path,
    type,
  });
  const MISMATCH = 'The mcp-param-x header does not match the argument "x".';
  const REQUIRED = 'The mcp-param-x header is required when the argument "x" is sent.';
  const STRAY = 'The mcp-param-x header requires the argument "x". Send both or neither.';

  test.each<[string, HeaderRule["type"], unknown, string | undefined, string | undefined]>([
    ["text", "string", "us-west1", "us-west1", undefined],
    ["text with white space around it", "string", "us-west1", " us-west1\t", undefined],
    ["encoded text", "string", "Hello, 世界", encoded("Hello, 世界"), undefined],
    ["empty text", "string", "", "", undefined],
    ["other text", "string", "us-west1", "eu-west1", MISMATCH],
    ["text in other letters", "string", "us-west1", "US-WEST1", MISMATCH],
    ["text whose own white space was not encoded", "string", " padded ", " padded ", MISMATCH],
    ["no header for text", "string", "us-west1", undefined, REQUIRED],
    ["no header for empty text", "string", "", undefined, REQUIRED],
    [
      "unpadded base64",
      "string",
      "Hello",
      "=?base64?SGVsbG8?=",
      malformed("mcp-param-x", "=?base64?SGVsbG8?="),
    ],
    ["raw text outside ASCII", "string", "für", "für", malformed("mcp-param-x", "f?r")],
    ["an integer", "integer", 42, "42", undefined],
    ["a negative integer", "integer", -7, "-7", undefined],
    ["an integer with a fraction of zero", "integer", 42, "42.0", undefined],
    ["an integer with zeros before it", "integer", 42, "042", undefined],
    ["an encoded integer", "integer", 42, encoded("42"), undefined],
    ["minus zero", "integer", 0, "-0", undefined],
    ["the largest safe integer", "integer", Number.MAX_SAFE_INTEGER, "9007199254740991", undefined],
    ["a different integer", "integer", 42, "43", MISMATCH],
    ["a fraction", "integer", 42, "42.5", MISMATCH],
    ["a hexadecimal number", "integer", 42, "0x2a", MISMATCH],
    ["a power of ten", "integer", 100, "1e2", MISMATCH],
    ["a plus sign", "integer", 42, "+42", MISMATCH],
    ["an empty header for zero", "integer", 0, "", MISMATCH],
    ["an integer for text", "integer", "42", "42", MISMATCH],
    ["no header for zero", "integer", 0, undefined, REQUIRED],
    ["true", "boolean", true, "true", undefined],
    ["false", "boolean", false, "false", undefined],
    ["true in other letters", "boolean", true, "True", MISMATCH],
    ["one for true", "boolean", true, "1", MISMATCH],
    ["no header for false", "boolean", false, undefined, REQUIRED],
    ["null, for which no header is expected", "string", null, undefined, undefined],
    ["a header for null", "string", null, "null", STRAY],
    ["an empty header for null", "string", null, "", STRAY],
    ["no value and no header", "string", undefined, undefined, undefined],
    ["a header without a value", "string", undefined, "us-west1", STRAY],
  ])("%s (%s)", (_case, type, value, header, expected) => {
    const args = value === undefined ? {} : { x: value };
    const read = headers(header === undefined ? {} : { "mcp-param-x": header });
    expect(checkParamHeaders([rule(type)], args, read)).toBe(expected);
  });

  test("reject integers beyond the safe range", () => {
    const args: unknown = JSON.parse('{"x":9007199254740992}');
    expect(checkParamHeaders([rule("integer")], args, headers({ "mcp-param-x": "9007199254740993" }))).toBe(
      MISMATCH,
    );
  });

  test.each<[string, unknown, string | undefined, string | undefined]>([
    ["is found at its path", { a: { b: "v" } }, "v", undefined],
    ["must be there if the value is", { a: { b: "v" } }, undefined, REQUIRED.replace('"x"', '"a.b"')],
    ["is not expected if the path ends early", { a: {} }, undefined, undefined],
    ["is not expected if the path reaches a string", { a: "b" }, undefined, undefined],
    ["is not expected if the path reaches a list", { a: ["v"] }, undefined, undefined],
    ["is not expected if the path reaches null", { a: null }, undefined, undefined],
    ["is not expected without arguments", undefined, undefined, undefined],
    ["must not be there without arguments", undefined, "v", STRAY.replace('"x"', '"a.b"')],
  ])("for a nested value: it %s", (_case, args, header, expected) => {
    const read = headers(header === undefined ? {} : { "mcp-param-x": header });
    expect(checkParamHeaders([rule("string", "a", "b")], args, read)).toBe(expected);
  });

  test("ignore inherited members", () => {
    expect(checkParamHeaders([rule("string", "constructor")], {}, headers({}))).toBeUndefined();
    expect(checkParamHeaders([rule("string", "constructor", "name")], {}, headers({}))).toBeUndefined();
  });

  test("are all checked and the first mismatch is reported", () => {
    const rules: readonly HeaderRule[] = [
      { header: "mcp-param-a", path: ["a"], type: "string" },
      { header: "mcp-param-b", path: ["b"], type: "boolean" },
    ];
    const args = { a: "1", b: true };
    expect(
      checkParamHeaders(rules, args, headers({ "mcp-param-a": "1", "mcp-param-b": "true" })),
    ).toBeUndefined();
    expect(checkParamHeaders(rules, args, headers({ "mcp-param-a": "1" }))).toBe(
      'The mcp-param-b header is required when the argument "b" is sent.',
    );
  });

  test("without a rule are ignored", () => {
    expect(checkParamHeaders([], { x: 1 }, headers({ "mcp-param-x": "other" }))).toBeUndefined();
  });
});
