import { describe, expect, test } from "vitest";
import type { Implementation } from "../../../src/protocol/definitions.js";
import { type CacheHint, createEncoder } from "../../../src/protocol/revisions/encoder.js";
import {
  LEGACY_REVISIONS,
  type Revision,
  REVISIONS,
  TRAITS,
} from "../../../src/protocol/revisions/revision.js";

const server: Implementation = {
  name: "s",
  version: "1",
  title: "Server",
  websiteUrl: "https://example.com",
};
const cache: CacheHint = { ttlMs: 5000, cacheScope: "private" };
const capabilities = { tools: { listChanged: true } };
const parse = (text: string): unknown => JSON.parse(text);

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

test.each(REVISIONS)("the encoder of %s has its traits", (revision) => {
  expect(createEncoder(revision, server).traits).toBe(TRAITS[revision]);
});

describe.each(LEGACY_REVISIONS)("in %s", (revision) => {
  const encoder = createEncoder(revision, server);

  test("initialize returns the revision, capabilities, server info, and instructions", () => {
    const cards: Readonly<Partial<Record<Revision, object>>> = {
      "2025-06-18": { name: "s", version: "1", title: "Server" },
      "2025-11-25": server,
    };
    const serverInfo = cards[revision] ?? { name: "s", version: "1" };
    expect(parse(encoder.initializeResult(capabilities, "Be kind.", cache))).toEqual({
      protocolVersion: revision,
      capabilities,
      serverInfo,
      instructions: "Be kind.",
    });
    expect(parse(encoder.initializeResult({}, undefined, cache))).toEqual({
      protocolVersion: revision,
      capabilities: {},
      serverInfo,
    });
  });

  test("lists have items, a cursor if there are more, and no cache hints", () => {
    expect(encoder.list("tools", [{ name: "a" }], { cache })).toBe('{"tools":[{"name":"a"}]}');
    expect(encoder.list("prompts", [], { nextCursor: "next", cache })).toBe(
      '{"prompts":[],"nextCursor":"next"}',
    );
  });

  test("results do not contain a type, cache hints, or server info", () => {
    const contents = [{ uri: "test://r", text: "r" }];
    expect(encoder.readResult({ contents }, cache)).toBe('{"contents":[{"uri":"test://r","text":"r"}]}');
    expect(encoder.promptResult({ description: "d", messages: [] })).toBe(
      '{"description":"d","messages":[]}',
    );
    expect(encoder.completion({ values: ["a"], total: 1, hasMore: false })).toBe(
      '{"completion":{"values":["a"],"total":1,"hasMore":false}}',
    );
    expect(encoder.toolResult({ content: [] }, false)).toBe('{"content":[]}');
    expect(encoder.empty).toBe("{}");
  });

  test("the result's _meta entries are kept", () => {
    const _meta = { "example.com/a": 1 };
    expect(parse(encoder.readResult({ contents: [], _meta }, cache))).toEqual({ contents: [], _meta });
    expect(parse(encoder.promptResult({ messages: [], _meta }))).toEqual({ messages: [], _meta });
    expect(parse(encoder.toolResult({ content: [], _meta }, false))).toEqual({ content: [], _meta });
  });

  test("an extension's result loses only its type", () => {
    expect(encoder.custom({ resultType: "task", taskId: "1" })).toBe('{"taskId":"1"}');
    expect(encoder.custom({ taskId: "1" })).toBe('{"taskId":"1"}');
  });

  test("requests for input and subscriptions are not supported", () => {
    expect(() => encoder.inputRequired({}, "state")).toThrow(
      new Error(`Protocol version ${revision} does not support "input_required".`),
    );
    expect(() => encoder.subscriptionEnd(1)).toThrow(
      new Error(`Protocol version ${revision} does not support "subscriptions/listen".`),
    );
  });
});

describe("a tool's result with structured content", () => {
  const content = [{ type: "text", text: "[1]" }] as const;

  test.each<[Revision, object]>([
    ["2024-11-05", { content }],
    ["2025-03-26", { content }],
    ["2025-06-18", { content, structuredContent: { result: [1] } }],
    ["2025-11-25", { content, structuredContent: { result: [1] } }],
  ])("is projected in %s", (revision, expected) => {
    const encoder = createEncoder(revision, server);
    expect(parse(encoder.toolResult({ content, structuredContent: [1] }, true))).toEqual(expected);
  });

  test("is written unchanged in 2026-07-28", () => {
    const encoder = createEncoder("2026-07-28", server);
    expect(parse(encoder.toolResult({ content, structuredContent: [1] }, true))).toMatchObject({
      content,
      structuredContent: [1],
    });
  });
});

describe("content that a revision does not support", () => {
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
  const link = { type: "resource_link", uri: "test://r", name: "r" } as const;
  const audioText = { type: "text", text: "[audio audio/wav, 4 base64 characters]" };
  const linkText = { type: "text", text: "r: test://r" };

  test.each<[Revision, readonly object[]]>([
    ["2024-11-05", [audioText, linkText]],
    ["2025-03-26", [audio, linkText]],
    ["2025-06-18", [audio, link]],
    ["2025-11-25", [audio, link]],
    ["2026-07-28", [audio, link]],
  ])("is written as text, in %s", (revision, content) => {
    const encoder = createEncoder(revision, server);
    expect(parse(encoder.toolResult({ content: [audio, link] }, false))).toMatchObject({ content });
    const messages = [{ role: "user", content: link }] as const;
    expect(parse(encoder.promptResult({ messages }))).toMatchObject({ messages: [{ content: content[1] }] });
  });
});

describe("in 2026-07-28", () => {
  const encoder = createEncoder("2026-07-28", server);
  const _meta = { [SERVER_INFO]: server };
  const complete = { resultType: "complete", _meta };

  test("server/discover returns modern revisions only, and cache hints", () => {
    expect(parse(encoder.initializeResult(capabilities, "Be kind.", cache))).toEqual({
      ...complete,
      supportedVersions: ["2026-07-28"],
      capabilities,
      instructions: "Be kind.",
      ttlMs: 5000,
      cacheScope: "private",
    });
    expect(parse(encoder.initializeResult({}, undefined, { ttlMs: 0, cacheScope: "public" }))).toEqual({
      ...complete,
      supportedVersions: ["2026-07-28"],
      capabilities: {},
      ttlMs: 0,
      cacheScope: "public",
    });
  });

  test("a result begins with its type and the server info", () => {
    expect(encoder.toolResult({ content: [] }, false)).toBe(
      `{"resultType":"complete","_meta":{"${SERVER_INFO}":{"name":"s","version":"1","title":"Server",` +
        '"websiteUrl":"https://example.com"}},"content":[]}',
    );
  });

  test("lists contain items, cache hints, and a cursor if more items exist", () => {
    expect(parse(encoder.list("tools", [{ name: "a" }], { cache }))).toEqual({
      ...complete,
      ...cache,
      tools: [{ name: "a" }],
    });
    expect(parse(encoder.list("resources", [], { nextCursor: "next", cache }))).toEqual({
      ...complete,
      ...cache,
      resources: [],
      nextCursor: "next",
    });
  });

  test("resource contents have cache hints", () => {
    const contents = [{ uri: "test://r", blob: "AAAA" }];
    expect(parse(encoder.readResult({ contents }, cache))).toEqual({ ...complete, ...cache, contents });
  });

  test("prompts, completions, and tool results do not contain cache hints", () => {
    expect(parse(encoder.promptResult({ messages: [] }))).toEqual({ ...complete, messages: [] });
    expect(parse(encoder.completion({ values: ["a"] }))).toEqual({
      ...complete,
      completion: { values: ["a"] },
    });
    expect(parse(encoder.toolResult({ content: [], isError: true }, false))).toEqual({
      ...complete,
      content: [],
      isError: true,
    });
  });

  test("the result's _meta entries are merged with the server info", () => {
    const own = { "example.com/a": 1, [SUBSCRIPTION]: 7 };
    const merged = { resultType: "complete", _meta: { ...own, ..._meta } };
    expect(parse(encoder.toolResult({ content: [], _meta: own }, false))).toEqual({ ...merged, content: [] });
    expect(parse(encoder.promptResult({ messages: [], _meta: own }))).toEqual({ ...merged, messages: [] });
    expect(parse(encoder.readResult({ contents: [], _meta: own }, cache))).toEqual({
      ...merged,
      ...cache,
      contents: [],
    });
    expect(parse(encoder.custom({ _meta: own }))).toEqual(merged);
  });

  test("an `input_required` result contains its type, requests, and state, but no cache hints", () => {
    const inputRequests = { user_name: { method: "elicitation/create", params: { message: "Who?" } } };
    expect(parse(encoder.inputRequired(inputRequests, "sealed"))).toEqual({
      resultType: "input_required",
      _meta,
      inputRequests,
      requestState: "sealed",
    });
  });

  test.each([[7], ["7"]])("the end of subscription %j has the id with its JSON type", (id) => {
    expect(parse(encoder.subscriptionEnd(id))).toEqual({
      resultType: "complete",
      _meta: { ..._meta, [SUBSCRIPTION]: id },
    });
  });

  test.each([
    ["task", "task"],
    [undefined, "complete"],
    [7, "complete"],
    ['odd "type"', 'odd "type"'],
  ])("an extension's resultType %j is written %j", (resultType, expected) => {
    expect(parse(encoder.custom({ resultType, taskId: "1" }))).toEqual({
      resultType: expected,
      _meta,
      taskId: "1",
    });
    expect(parse(encoder.custom({ resultType, _meta: { a: 1 } }))).toEqual({
      resultType: expected,
      _meta: { ..._meta, a: 1 },
    });
  });

  test("an empty result has type and server info", () => {
    expect(parse(encoder.empty)).toEqual(complete);
    expect(encoder.custom({})).toBe(encoder.empty);
  });
});

test("long texts are serialized as by JSON.stringify for every character", () => {
  const encoder = createEncoder("2025-06-18", server);
  const long = "x".repeat(2_000);
  for (let code = 0; code < 0x1_00_00; code += code < 0x100 || (code > 0xd7f0 && code < 0xe010) ? 1 : 97) {
    const text = `${long}${String.fromCharCode(code)}`;
    expect(encoder.toolResult(text, false)).toBe(JSON.stringify({ content: [{ type: "text", text }] }));
  }
  const emoji = `${long}😀`;
  expect(encoder.toolResult(emoji, false)).toBe(JSON.stringify({ content: [{ type: "text", text: emoji }] }));
});
