import { describe, expect, test } from "vitest";
import { ClientError } from "tenon/client";
import {
  callTools,
  type CaptureClient,
  parseCalls,
  planCalls,
  readCapture,
  readSettings,
} from "../../src/doctor/facts/read-capture.js";
import { findHidden, removeHidden } from "../../src/doctor/facts/hidden-characters.js";
import { countOthers, listNames, placeOf, show, visible } from "../../src/doctor/facts/place.js";
import { listNodes } from "../../src/doctor/facts/schema-nodes.js";
import { splitNodes } from "../../src/doctor/facts/used-nodes.js";

describe("hidden characters", () => {
  test.each<[string, string, readonly string[]]>([
    ["a zero-width space", "a\u200bb", ["zero-width"]],
    ["a byte order mark", "\ufeffa", ["zero-width"]],
    ["a soft hyphen", "re\u00adview", ["zero-width"]],
    ["a joiner between Latin letters", "a\u200db", ["zero-width"]],
    ["a joiner at the start", "\u200da", ["zero-width"]],
    ["an override", "a\u202eb", ["bidirectional"]],
    ["an override in Hebrew", "\u05d0\u202eb", ["bidirectional"]],
    ["a mark in Latin text", "a\u200eb", ["bidirectional"]],
    ["tags", "a\u{e0061}\u{e0062}", ["tag", "tag"]],
    ["tags after a flag without an end", "\u{1f3f4}\u{e0067}\u{e0062}", ["tag", "tag"]],
    ["an escape sequence", "a\u001b[31m", ["control"]],
    ["a null character", "a\0", ["control"]],
    ["a C1 control", "a\u009b", ["control"]],
    ["a second variation selector", "\u2764\ufe0f\ufe0f", ["variation"]],
    ["a supplementary variation selector", "a\u{e0101}", ["variation"]],
  ])("%s is hidden", (_name, text, kinds) => {
    expect(findHidden(text).map(({ kind }) => kind)).toEqual(kinds);
    expect(findHidden(removeHidden(text))).toEqual([]);
  });

  test.each([
    ["line breaks and tabs", "a\r\n\tb"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
    ["a skin tone and a profession", "\u{1f469}\u{1f3fd}\u200d\u2695\ufe0f"],
    ["a heart in color", "\u2764\ufe0f"],
    ["a key cap", "1\ufe0f\u20e3"],
    ["the flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["a joiner in Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["a joiner in Hindi", "\u0915\u094d\u200d\u0937"],
    ["a mark in Hebrew", "\u05d0\u200f!"],
    ["an isolate in Arabic", "\u0627\u2066abc\u2069"],
    ["a zero-width space in Thai", "\u0e01\u200b\u0e02"],
    ["a variant of an ideograph", "\u845b\u{e0100}"],
    ["accents and dashes", "naïve café – “quoted” …"],
  ])("%s is not hidden", (_name, text) => {
    expect(findHidden(text)).toEqual([]);
    expect(removeHidden(text)).toBe(text);
  });

  test("are found by their index, and shown as code points", () => {
    expect(findHidden("\u{1f600}\u200b\u{e0041}")).toEqual([
      { index: 2, codePoint: 0x200b, kind: "zero-width" },
      { index: 3, codePoint: 0xe0041, kind: "tag" },
    ]);
    expect(visible("\u{1f600}\u200bx\u{e0041}")).toBe("\u{1f600}<U+200B>x<U+E0041>");
  });
});

describe("places", () => {
  test.each<[readonly (string | number)[], string]>([
    [["a", "b-c", "$d"], "tools.a.b-c.$d"],
    [["a.b"], 'tools["a.b"]'],
    [["", 3], 'tools[""][3]'],
    [['q"\n'], 'tools["q\\""]'],
    [["\u001b[31m"], 'tools["<U+001B>[31m"]'],
  ])("%j", (keys, expected) => {
    expect(placeOf("tools", ...keys)).toBe(expected);
  });

  test("text is quoted on one line and cut", () => {
    expect(show("a\n\u202eb")).toBe('"a <U+202E>b"');
    expect(show("x".repeat(10_000), 10)).toBe(`"${"x".repeat(9)}…"`);
  });

  test.each([
    [["a"], '"a"'],
    [["a", "b"], '"a" and "b"'],
    [["a", "b", "c"], '"a", "b", and "c"'],
    [["a", "b", "c", "d"], '"a", "b", and 2 more', 2],
  ] as const)("the names %j are listed as %s", (names, expected, limit?: number) => {
    expect(listNames(names, limit)).toBe(expected);
  });

  test("numbers of others agree with their noun", () => {
    expect(countOthers(1, "tool")).toBe("1 other tool");
    expect(countOthers(2, "tool")).toBe("2 other tools");
  });
});

describe("schemas inside a schema", () => {
  const places = (schema: Record<string, unknown>, limit = 100) =>
    listNodes(schema, "s", limit).map(({ place }) => place);

  test("are listed in reading order, and data is not taken for schemas", () => {
    const schema = {
      properties: { a: { enum: [{ type: "x" }], default: { properties: {} } }, items: { items: {} } },
      anyOf: [{ not: { const: {} } }, true],
      $defs: { d: { patternProperties: { "^x": {} } } },
      "x-form": { properties: { y: {} } },
    };
    expect(places(schema)).toEqual([
      "s",
      "s.properties.a",
      "s.properties.items",
      "s.properties.items.items",
      "s.anyOf[0]",
      "s.anyOf[0].not",
      "s.anyOf[1]",
      "s.$defs.d",
      's.$defs.d.patternProperties["^x"]',
    ]);
    expect(places(schema, 3)).toHaveLength(3);
  });

  test("a schema of any depth is walked without recursion", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 50_000; level++) deep = { items: deep };
    expect(listNodes(deep, "s", 20_000)).toHaveLength(20_000);
  });

  test("parts of conditions are marked, and typed alternatives are complete inside", () => {
    const schema = {
      allOf: [{ properties: { a: {} } }],
      anyOf: [{ type: "object", properties: { b: {} } }, { properties: { c: {} } }],
      properties: { d: {} },
    };
    const parts = listNodes(schema, "s", 100).filter(({ isPart }) => isPart);
    expect(parts.map(({ place }) => place)).toEqual([
      "s.allOf[0]",
      "s.allOf[0].properties.a",
      "s.anyOf[0]",
      "s.anyOf[1]",
      "s.anyOf[1].properties.c",
    ]);
  });
});

interface Sent {
  readonly method: string;
  readonly params: unknown;
}

function fakeClient(
  respond: (sent: Sent) => Record<string, unknown>,
): CaptureClient & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    server: { capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "n", version: "1.0.0" } },
    revision: "2025-11-25",
    async request(method, params) {
      sent.push({ method, params });
      return respond({ method, params });
    },
  };
}

describe("definitions in a schema", () => {
  const unusedIn = (schema: Record<string, unknown>) =>
    splitNodes(listNodes(schema, "s", 1_000), "s").unused.map(({ place }) => place);
  const note = { type: "object", properties: { text: { type: "string" } } };

  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ["without a reference", { $defs: { Note: note } }, ["s.$defs.Note", "s.$defs.Note.properties.text"]],
    ["of an old dialect", { definitions: { Note: true } }, ["s.definitions.Note"]],
    ["that only refer to themselves", { $defs: { A: { $ref: "#/$defs/A" } } }, ["s.$defs.A"]],
    [
      "with another unused one as the only user",
      { $defs: { A: { $ref: "#/$defs/B" }, B: true } },
      ["s.$defs.A", "s.$defs.B"],
    ],
  ])("%s are unused", (_name, schema, places) => {
    expect(unusedIn(schema)).toEqual(places);
  });

  test.each<[string, Record<string, unknown>]>([
    ["with a reference", { items: { $ref: "#/$defs/Note" }, $defs: { Note: note } }],
    ["through another one", { $ref: "#/$defs/A", $defs: { B: true, A: { not: { $ref: "#/$defs/B" } } } }],
    ["with a reference to a part", { $ref: "#/$defs/Note/properties/text", $defs: { Note: note } }],
    ["with an escaped name", { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": true } }],
    ["with an absolute reference", { $id: "urn:x", $ref: "urn:x#/$defs/A", $defs: { A: true } }],
    ["with an anchor", { $ref: "#a", $defs: { A: { $anchor: "a" } } }],
    ["with a dynamic reference", { $dynamicRef: "#a", $defs: { A: { $dynamicAnchor: "a" } } }],
    ["inside a property", { properties: { a: { $defs: { A: true } } } }],
  ])("%s are used", (_name, schema) => {
    expect(unusedIn(schema)).toEqual([]);
  });
});

describe("reading a server", () => {
  test("requests all pages of the declared lists", async () => {
    const client = fakeClient(({ method, params }) => {
      if (method === "prompts/list") return { prompts: [{ name: "p" }, "x"], nextCursor: null };
      return (params as { cursor?: string }).cursor === undefined
        ? { tools: [{ name: "a" }], nextCursor: "" }
        : { tools: [{ name: "b" }] };
    });
    const { lists, server } = await readCapture(client);
    expect(server).toEqual({ name: "n", version: "1.0.0" });
    expect(lists).toEqual({
      tools: { items: [{ name: "a" }, { name: "b" }] },
      resources: { items: [] },
      resourceTemplates: { items: [] },
      prompts: { items: [{ name: "p" }] },
    });
    expect(client.sent.map(({ method }) => method)).toEqual(["tools/list", "tools/list", "prompts/list"]);
  });

  test("records lists that fail, are malformed, or never end", async () => {
    const failing = fakeClient(({ method }) => {
      if (method === "tools/list") return { tools: [{ name: "a" }], nextCursor: "same" };
      throw new ClientError({ code: -32601, message: "Method not found" });
    });
    const { lists } = await readCapture(failing);
    expect(lists.tools).toEqual({
      items: [{ name: "a" }, { name: "a" }],
      problem: { kind: "repeated-cursor" },
    });
    expect(lists.prompts.problem).toEqual({ kind: "failed", code: -32601, message: "Method not found" });
    const malformed = await readCapture(fakeClient(() => ({ tools: {} })));
    expect(malformed.lists.tools).toEqual({ items: [], problem: { kind: "malformed" } });
  });

  test("stops after too many entries, and rejects if the connection fails", async () => {
    let page = 0;
    const endless = fakeClient(({ method }) => ({
      [method === "tools/list" ? "tools" : "prompts"]: Array.from({ length: 500 }, () => ({})),
      nextCursor: String(page++),
    }));
    const { lists } = await readCapture(endless);
    expect(lists.tools.items).toHaveLength(10_000);
    expect(lists.tools.problem).toEqual({ kind: "too-long" });
    const lost = fakeClient(() => {
      throw new Error("connection lost");
    });
    await expect(readCapture(lost)).rejects.toThrow("connection lost");
  });
});

describe("calls", () => {
  test("only tools that are read-only and require no arguments are selected", () => {
    const tools = [
      { name: "a", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } },
      { name: "b", annotations: { readOnlyHint: true }, inputSchema: { type: "object", required: [] } },
      { name: "c", annotations: { readOnlyHint: true }, inputSchema: { type: "object", required: ["q"] } },
      { name: "d", annotations: { readOnlyHint: "true" }, inputSchema: { type: "object" } },
      { name: "e", inputSchema: { type: "object" } },
      { name: "f", annotations: { readOnlyHint: true }, inputSchema: { type: "object", required: "q" } },
    ];
    expect(planCalls(tools)).toEqual([
      { tool: "a", arguments: {} },
      { tool: "b", arguments: {} },
    ]);
  });

  test("results are kept, and errors, requests for input, and tasks are counted", async () => {
    const client = fakeClient(({ params }) => {
      const { name } = params as { name: string };
      if (name === "fails") throw new ClientError({ code: -32602, message: "no" });
      if (name === "asks") return { resultType: "input_required" };
      if (name === "later") return { resultType: "task" };
      return { content: [], resultType: "complete" };
    });
    const planned = ["works", "fails", "asks", "later"].map((tool) => ({ tool, arguments: { x: 1 } }));
    expect(await callTools(client, planned)).toEqual({
      calls: [{ tool: "works", result: { content: [], resultType: "complete" } }],
      skipped: 3,
    });
    expect(client.sent[0]).toEqual({ method: "tools/call", params: { name: "works", arguments: { x: 1 } } });
  });

  test("a file of calls is parsed", () => {
    expect(parseCalls('[{"tool":"a","arguments":{"q":1}},{"tool":"b"}]', "c.json")).toEqual([
      { tool: "a", arguments: { q: 1 } },
      { tool: "b", arguments: {} },
    ]);
  });

  test.each([
    ["{", '"c.json" is not valid JSON.'],
    ["{}", '"c.json" must contain a list of calls; got an object.'],
    [
      '[{"tool":"a"},{"name":"b"}]',
      '"c.json": call 2 must be an object with the name of a `tool` and an object of `arguments`.',
    ],
    [
      JSON.stringify(Array.from({ length: 51 }, () => ({ tool: "a" }))),
      '"c.json" contains too many calls (limit: 50).',
    ],
  ])("the file %j is rejected", (text, message) => {
    expect(() => parseCalls(text, "c.json")).toThrow(message);
  });
});

describe("settings of handlers", () => {
  const tool = (name: string, more: object) => ({ definition: { name }, ...more });

  test("are read from a server that describes its deadlines", () => {
    const server = {
      describe: () => ({ tools: [tool("a", { deadlineMs: 5 }), tool("b", { deadlineMs: undefined })] }),
    };
    expect(readSettings(server)).toEqual([
      { tool: "a", deadlineMs: 5 },
      { tool: "b", deadlineMs: null },
    ]);
  });

  test.each([
    ["no server", undefined],
    ["a server without a description", {}],
    ["a description without deadlines", { describe: () => ({ tools: [tool("a", {})] }) }],
    ["a description without tools", { describe: () => undefined }],
  ])("are not available for %s", (_name, server) => {
    expect(readSettings(server)).toBeUndefined();
  });
});
