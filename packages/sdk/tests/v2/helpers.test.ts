/**
 * @fileoverview Functions and classes for server code behave as in the official SDK, version 2, and work together with
 * it.
 * @module tests/sdk/v2/helpers
 */
import * as official from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as tenon from "../../src/v2/index.js";
import { plain, SDKS } from "../support/v2/both-sides.js";
import { META, modern, post } from "../support/v2/http.js";

/** Returns the value, or the class of the error. */
function attempt(task: () => unknown): unknown {
  try {
    return plain(task());
  } catch (error) {
    return (error as Error).name;
  }
}

type ErrorClass = new (...given: never[]) => Error;

const form = { type: "object" as const, properties: { a: { type: "string" as const } } };

describe("inputRequired", () => {
  test.each<readonly [title: string, build: (sdk: typeof official) => unknown]>([
    ["requests", ({ inputRequired }) => inputRequired({ inputRequests: { a: inputRequired.listRoots() } })],
    ["a state", ({ inputRequired }) => inputRequired({ requestState: "s" })],
    [
      "both",
      ({ inputRequired }) =>
        inputRequired({ inputRequests: { a: inputRequired.listRoots() }, requestState: "s" }),
    ],
    ["nothing", ({ inputRequired }) => inputRequired({})],
    ["no requests", ({ inputRequired }) => inputRequired({ inputRequests: {} })],
    ["a form", ({ inputRequired }) => inputRequired.elicit({ message: "m", requestedSchema: form })],
    ["a page", ({ inputRequired }) => inputRequired.elicitUrl({ message: "m", url: "https://example.com" })],
    ["sampling", ({ inputRequired }) => inputRequired.createMessage({ messages: [], maxTokens: 1 })],
    [
      "a form from a Zod schema",
      ({ inputRequired }) =>
        inputRequired.elicit({
          message: "m",
          requestedSchema: z.object({
            name: z.string().min(1).max(9).describe("d"),
            age: z.int().min(0).optional(),
            mail: z.email(),
            ok: z.boolean().default(true),
            kind: z.enum(["a", "b"]),
            tags: z.array(z.enum(["x", "y"])).min(1),
          }),
        }),
    ],
    [
      "a form with a nested object",
      ({ inputRequired }) =>
        inputRequired.elicit({ message: "m", requestedSchema: z.object({ a: z.object({ b: z.string() }) }) }),
    ],
    [
      "a form with a pattern",
      ({ inputRequired }) =>
        inputRequired.elicit({ message: "m", requestedSchema: z.object({ a: z.string().regex(/^x/) }) }),
    ],
    [
      "a form that is not an object",
      ({ inputRequired }) => inputRequired.elicit({ message: "m", requestedSchema: z.string() }),
    ],
    [
      "a form with a list of texts",
      ({ inputRequired }) =>
        inputRequired.elicit({ message: "m", requestedSchema: z.object({ a: z.array(z.string()) }) }),
    ],
  ])("%s", (_title, build) => {
    const [wanted, given] = SDKS.map(([, sdk]) => attempt(() => build(sdk)));
    expect(wanted).toBeDefined();
    expect(given).toEqual(wanted);
  });
});

describe("readers of responses", () => {
  const responses = {
    yes: { action: "accept", content: { n: 1 } },
    no: { action: "decline" },
    bad: { action: "accept", content: [1] },
    roots: { roots: [{ uri: "file:///a" }] },
    sample: { role: "assistant", model: "m", content: { type: "text", text: "t" } },
    odd: { hello: 1 },
    list: [1],
    text: "x",
  };
  test.each([...Object.keys(responses), "missing", "constructor"])("inputResponse: %s", (key) => {
    const [wanted, given] = [official, tenon].map((sdk) => plain(sdk.inputResponse(responses, key)));
    expect(given).toEqual(key === "constructor" ? { kind: "missing" } : wanted);
  });

  test.each<readonly [title: string, read: (sdk: typeof official) => unknown]>([
    ["of an accepted form", ({ acceptedContent }) => acceptedContent(responses, "yes")],
    ["of a declined form", ({ acceptedContent }) => acceptedContent(responses, "no") ?? null],
    ["of nothing", ({ acceptedContent }) => acceptedContent(undefined, "yes") ?? null],
    [
      "that matches a schema",
      ({ acceptedContent }) =>
        acceptedContent(responses, "yes", z.object({ n: z.number().transform(String) })),
    ],
    [
      "that does not match a schema",
      ({ acceptedContent }) => acceptedContent(responses, "yes", z.object({ n: z.string() })) ?? null,
    ],
    [
      "with a schema that is asynchronous",
      ({ acceptedContent }) =>
        acceptedContent(
          responses,
          "yes",
          z.object({ n: z.number() }).refine(async () => Promise.resolve(true)),
        ),
    ],
  ])("acceptedContent %s", (_title, read) => {
    const [wanted, given] = SDKS.map(([, sdk]) => attempt(() => read(sdk)));
    expect(given).toEqual(wanted);
  });

  test("isInputRequiredResult and withInputRequired recognize results", async () => {
    for (const sdk of [official, tenon]) {
      expect(
        [{ resultType: "input_required" }, { resultType: "complete" }, null, []].map(
          sdk.isInputRequiredResult,
        ),
      ).toEqual([true, false, false, false]);
    }
    const schema = tenon.withInputRequired(z.object({ a: z.string() }));
    expect(await schema["~standard"].validate({ resultType: "input_required" })).toEqual({
      value: { resultType: "input_required" },
    });
    expect(await schema["~standard"].validate({ a: "x" })).toMatchObject({ value: { a: "x" } });
    expect(await schema["~standard"].validate({ a: 1 })).toMatchObject({ issues: [{}] });
  });
});

describe("createRequestStateCodec", () => {
  const key = "k".repeat(32);
  const ctx = { mcpReq: { method: "tools/call" } } as never;
  const create = [official.createRequestStateCodec, tenon.createRequestStateCodec] as const;

  test.each([
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const)("codec %i's states are read by codec %i", async (from, to) => {
    const state = await create[from]({ key }).mint({ a: [1, "ü"] });
    expect(await create[to]({ key }).verify(state, ctx)).toEqual({ a: [1, "ü"] });
    const bind = () => "me";
    const bound = await create[from]({ key, bind }).mint({ a: 1 }, ctx);
    expect(await create[to]({ key, bind }).verify(bound, ctx)).toEqual({ a: 1 });
  });

  test.each<readonly [reason: string, state: () => Promise<string>, options: object]>([
    ["malformed", async () => "nonsense", {}],
    ["malformed", async () => "v1.", {}],
    ["mac", async () => tenon.createRequestStateCodec({ key: "x".repeat(32) }).mint(1), {}],
    [
      "mac",
      async () =>
        (await tenon.createRequestStateCodec({ key }).mint({ admin: false })).replace(/^v1\../, "v1.f"),
      {},
    ],
    ["expired", async () => tenon.createRequestStateCodec({ key, ttlSeconds: -5 }).mint(1), {}],
    [
      "bind",
      async () => tenon.createRequestStateCodec({ key, bind: () => "a" }).mint(1, ctx),
      { bind: () => "b" },
    ],
    ["bind", async () => tenon.createRequestStateCodec({ key, bind: () => "a" }).mint(1, ctx), {}],
    ["bind", async () => tenon.createRequestStateCodec({ key }).mint(1), { bind: () => "b" }],
  ])("rejects a state with the reason %s", async (reason, mint, options) => {
    const state = await mint();
    for (const codec of create)
      await expect(codec({ key, ...options }).verify(state, ctx)).rejects.toThrow(reason);
  });

  test("rejects short keys, endless lifetimes, and missing contexts", async () => {
    for (const codec of create) {
      expect(() => codec({ key: "short" })).toThrow(
        "createRequestStateCodec: key must be at least 32 bytes (got 5)",
      );
      expect(() => codec({ key, ttlSeconds: Infinity })).toThrow(RangeError);
      await expect(codec({ key, bind: () => "a" }).mint(1)).rejects.toThrow(TypeError);
    }
  });
});

describe("errors", () => {
  test("of both packages are instances of each other's classes", () => {
    const pairs = [
      [official.ProtocolError, tenon.ProtocolError, [-1, "m"]],
      [official.ResourceNotFoundError, tenon.ResourceNotFoundError, ["a://b"]],
      [official.SdkError, tenon.SdkError, ["x", "m"]],
    ] as unknown as readonly (readonly [ErrorClass, ErrorClass, never[]])[];
    for (const [Theirs, Ours, given] of pairs) {
      expect(new Ours(...given)).toBeInstanceOf(Theirs);
      expect(new Theirs(...given)).toBeInstanceOf(Ours);
      expect({}).not.toBeInstanceOf(Ours);
    }
    expect(new tenon.ResourceNotFoundError("a://b")).toBeInstanceOf(official.ProtocolError);
    expect(new tenon.ProtocolError(1, "m")).not.toBeInstanceOf(official.ResourceNotFoundError);
    expect(official.ProtocolError.isInstance(new tenon.ProtocolError(1, "m"))).toBe(true);
    expect(tenon.SdkError.isInstance(new official.ProtocolError(1, "m"))).toBe(false);
  });

  test.each<readonly [code: number, data: unknown]>([
    [-32042, { elicitations: [{ url: "u" }] }],
    [-32022, { supported: ["a"], requested: "b" }],
    [-32602, { uri: "a://b" }],
    [-32602, { uri: "a://b", reason: "x" }],
    [-32002, { uri: "a://b", more: 1 }],
    [-32021, { requiredCapabilities: { roots: {} } }],
    [-32000, undefined],
  ])("fromError creates the class for %i", (code, data) => {
    const facts = [official, tenon].map((sdk) => {
      const error = sdk.ProtocolError.fromError(code, "m", data);
      return [error.constructor.name, error.code, error.message, error.data];
    });
    expect(facts[1]).toEqual(facts[0]);
  });

  test("codes and the names of codes are the same (drop-in B5)", () => {
    expect({ ...tenon.ProtocolErrorCode }).toEqual({ ...official.ProtocolErrorCode });
    expect({ ...tenon.SdkErrorCode }).toEqual({ ...official.SdkErrorCode });
    expect(tenon.ProtocolErrorCode[-32602]).toBe("InvalidParams");
    const { elicitations } = new tenon.UrlElicitationRequiredError([
      { mode: "url", message: "m", url: "u", elicitationId: "e" },
    ]);
    expect(elicitations).toHaveLength(1);
    expect([...tenon.SUPPORTED_PROTOCOL_VERSIONS]).toEqual(
      expect.arrayContaining(["2025-11-25", "2024-11-05"]),
    );
  });
});

describe("isLegacyRequest", () => {
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
  test.each<readonly [title: string, request: () => Request, isLegacy: boolean]>([
    ["GET", () => new Request("http://localhost/"), true],
    ["initialize", () => post(initialize), true],
    [
      "initialize with a 2026 header",
      () => post(initialize, { "mcp-protocol-version": "2026-07-28" }),
      false,
    ],
    ["a request without an envelope", () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), true],
    ["a 2026 request", () => modern("tools/list"), false],
    ["a 2026 request with a wrong header", () => modern("tools/list", {}, { "mcp-method": "x" }), false],
    [
      "an incomplete envelope",
      () => modern("tools/list", { _meta: { "io.modelcontextprotocol/clientCapabilities": undefined } }),
      false,
    ],
    [
      "a 2026 header without an envelope",
      () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-protocol-version": "2026-07-28" }),
      false,
    ],
    ["invalid JSON", () => post("{"), true],
    ["an empty body", () => post(""), true],
    ["a batch", () => post([initialize]), true],
    [
      "a batch with a 2026 request",
      () => post([{ jsonrpc: "2.0", id: 1, method: "x", params: { _meta: META } }]),
      false,
    ],
    ["a response", () => post({ jsonrpc: "2.0", id: 1, result: {} }), true],
    ["a notification", () => post({ jsonrpc: "2.0", method: "notifications/initialized" }), true],
    [
      "a 2026 notification",
      () => post({ jsonrpc: "2.0", method: "x" }, { "mcp-protocol-version": "2026-07-28" }),
      false,
    ],
    ["a body that is not a message", () => post({ a: 1 }), false],
  ])("%s", async (_title, request, isLegacy) => {
    for (const sdk of [official, tenon]) {
      const sent = request();
      expect(await sdk.isLegacyRequest(sent)).toBe(isLegacy);
      expect(sent.bodyUsed).toBe(false);
      if (sent.method === "POST" && isLegacy) {
        const body: unknown = await sent.json().catch(() => undefined);
        if (body !== undefined) expect(await sdk.isLegacyRequest(sent, body)).toBe(true);
      }
    }
  });

  test("a body that is too large is not read to its end", async () => {
    for (const sdk of [official, tenon]) {
      expect(
        await sdk.isLegacyRequest(post({ jsonrpc: "2.0", id: 1, method: "x".repeat(500) }), undefined, {
          maxRequestBodySize: 100,
        }),
      ).toBe(false);
    }
  });

  test("legacyStatelessFallback serves earlier revisions", async () => {
    for (const [, sdk] of SDKS) {
      const serve = sdk.legacyStatelessFallback(() => {
        const server = new sdk.McpServer({ name: "a", version: "1" });
        server.registerTool("t", {}, () => ({ content: [] }));
        return server;
      });
      const response = await serve(post({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"name":"t"');
    }
  });
});

describe("fromJsonSchema", () => {
  const schema = {
    type: "object" as const,
    properties: { n: { type: "number" as const, minimum: 0 } },
    required: ["n"],
  };
  test.each([
    [{ n: 1 }, true],
    [{ n: -1 }, false],
    [{}, false],
    ["x", false],
  ])("%j is valid: %s", async (value, isValid) => {
    for (const { fromJsonSchema } of [official, tenon]) {
      const checked = await fromJsonSchema(schema)["~standard"].validate(value);
      expect(checked.issues === undefined).toBe(isValid);
    }
  });

  test("uses an official validator", async () => {
    const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/server/validators/ajv");
    const validator = new AjvJsonSchemaValidator();
    const outcomes = [
      official.fromJsonSchema(schema, validator),
      tenon.fromJsonSchema(schema, validator as never),
    ].map((one) => one["~standard"].validate({ n: "x" }));
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(tenon.fromJsonSchema(schema)["~standard"].jsonSchema.input({ target: "draft-2020-12" })).toEqual(
      schema,
    );
  });
});

describe("checks of headers", () => {
  const request = (headers: Record<string, string>) => new Request("http://localhost/", { headers });
  test.each([
    ["localhost:3000", undefined],
    ["127.0.0.1", undefined],
    ["[::1]:80", undefined],
    ["evil.example", 403],
    ["", 403],
  ])("host %j: %s", (host, status) => {
    for (const sdk of [official, tenon]) {
      const { hostHeaderValidationResponse: check, localhostAllowedHostnames: local } = sdk;
      expect(check(request(host === "" ? {} : { host }), local())?.status).toBe(status);
    }
  });

  test.each([
    [undefined, undefined],
    ["http://localhost:5173", undefined],
    ["https://evil.example", 403],
    ["null", 403],
  ])("origin %j: %s", (origin, status) => {
    for (const sdk of [official, tenon]) {
      const { originValidationResponse: check, localhostAllowedOrigins: local } = sdk;
      expect(check(request(origin === undefined ? {} : { origin }), local())?.status).toBe(status);
    }
  });

  test.each([
    [
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "x", capabilities: {}, clientInfo: { name: "a", version: "1" } },
      },
      true,
    ],
    [{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, false],
    [{ jsonrpc: "2.0", method: "initialize" }, false],
    ["initialize", false],
  ])("isInitializeRequest %#", (message, expected) => {
    for (const sdk of [official, tenon]) expect(sdk.isInitializeRequest(message)).toBe(expected);
  });
});
