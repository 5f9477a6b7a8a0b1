import { describe, expect, test } from "vitest";
import { ERRORS } from "../../../src/protocol/errors.js";
import type { JsonRpcRequest } from "../../../src/protocol/json-rpc.js";
import { classifyEra, hasEnvelope, META, readEnvelope } from "../../../src/protocol/revisions/envelope.js";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT = "io.modelcontextprotocol/clientInfo";
const LEVEL = "io.modelcontextprotocol/logLevel";
const VALID = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

const request = (method: string, meta?: unknown): JsonRpcRequest => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  ...(meta === undefined ? {} : { params: { _meta: meta } }),
});

/** Invalid parameters with the type that `handle` expects. */
const odd = (params: unknown): JsonRpcRequest => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: params as NonNullable<JsonRpcRequest["params"]>,
});

const KEYS = `"${VERSION}" and "${CAPABILITIES}"`;
const LOG_LEVEL =
  `\`_meta["${LEVEL}"]\` must be one of ` +
  "debug, info, notice, warning, error, critical, alert, emergency; got ";

/** Invalid envelopes with the reason that the client receives. */
const BROKEN: readonly (readonly [string, unknown, string])[] = [
  ["no version", { [CAPABILITIES]: {} }, `\`_meta["${VERSION}"]\` must be a string; got undefined.`],
  [
    "a version that is a number",
    { ...VALID, [VERSION]: 2026 },
    `\`_meta["${VERSION}"]\` must be a string; got a number.`,
  ],
  ["a version of null", { ...VALID, [VERSION]: null }, `\`_meta["${VERSION}"]\` must be a string; got null.`],
  [
    "no capabilities",
    { [VERSION]: "2026-07-28" },
    `\`_meta["${CAPABILITIES}"]\` must be an object; got undefined.`,
  ],
  [
    "capabilities of null",
    { ...VALID, [CAPABILITIES]: null },
    `\`_meta["${CAPABILITIES}"]\` must be an object; got null.`,
  ],
  [
    "capabilities in a list",
    { ...VALID, [CAPABILITIES]: [] },
    `\`_meta["${CAPABILITIES}"]\` must be an object; got an array.`,
  ],
  [
    "client info as text",
    { ...VALID, [CLIENT]: "me" },
    `\`_meta["${CLIENT}"]\` must be an object; got a string.`,
  ],
  [
    "client info of null",
    { ...VALID, [CLIENT]: null },
    `\`_meta["${CLIENT}"]\` must be an object; got null.`,
  ],
  ["an unknown log level", { ...VALID, [LEVEL]: "loud" }, `${LOG_LEVEL}"loud".`],
  ["a log level of null", { ...VALID, [LEVEL]: null }, `${LOG_LEVEL}null.`],
];

test("the reserved keys of _meta match the specification", () => {
  expect(META).toEqual({
    protocolVersion: "io.modelcontextprotocol/protocolVersion",
    clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
    clientInfo: "io.modelcontextprotocol/clientInfo",
    logLevel: "io.modelcontextprotocol/logLevel",
    serverInfo: "io.modelcontextprotocol/serverInfo",
    subscriptionId: "io.modelcontextprotocol/subscriptionId",
  });
});

describe("the envelope", () => {
  test("contains the client info, revision, and capabilities", () => {
    const meta = {
      [VERSION]: "2026-07-28",
      [CAPABILITIES]: { sampling: {} },
      [CLIENT]: { name: "tester", version: "1" },
      [LEVEL]: "notice",
      progressToken: 7,
    };
    expect(readEnvelope(request("tools/list", meta))).toEqual({
      revision: "2026-07-28",
      capabilities: { sampling: {} },
      clientInfo: { name: "tester", version: "1" },
      logLevel: "notice",
    });
  });

  test("requires only version and capabilities", () => {
    expect(readEnvelope(request("tools/list", VALID))).toEqual({
      revision: "2026-07-28",
      capabilities: {},
      clientInfo: undefined,
      logLevel: undefined,
    });
  });

  test.each(BROKEN)("with %s is rejected with -32602 and HTTP 400", (_case, meta, reason) => {
    expect(readEnvelope(request("tools/list", meta))).toEqual({ error: "INVALID_ENVELOPE", reason });
    expect(ERRORS["INVALID_ENVELOPE"]).toMatchObject({ rpc: -32602, wire: 400 });
  });

  test.each([
    ["no params", request("tools/list")],
    ["no _meta", odd({})],
    ["a _meta of null", odd({ _meta: null })],
    ["a _meta in a list", odd({ _meta: [] })],
    ["params in a list", odd([])],
    ["params of null", odd(null)],
    ["params that are text", odd("_meta")],
  ])("is missing in a request with %s", (_case, message) => {
    expect(readEnvelope(message)).toEqual({
      error: "INVALID_ENVELOPE",
      reason: `\`_meta\` must be an object with ${KEYS}.`,
    });
    expect(hasEnvelope(message)).toBe(false);
  });

  test.each(["2025-11-25", "2027-01-01", "", "latest"])(
    "with version %j is rejected with the supported versions",
    (version) => {
      expect(readEnvelope(request("tools/list", { ...VALID, [VERSION]: version }))).toEqual({
        error: "UNSUPPORTED_VERSION",
        reason: "Unsupported protocol version",
        details: { supported: ["2026-07-28"], requested: version },
      });
    },
  );

  test("with an unknown version is rejected before other problems", () => {
    expect(readEnvelope(request("tools/list", { [VERSION]: "2027-01-01" }))).toMatchObject({
      error: "UNSUPPORTED_VERSION",
    });
  });

  test.each([
    ["both keys", VALID, true],
    ["the version alone", { [VERSION]: "2026-07-28" }, true],
    ["the capabilities alone", { [CAPABILITIES]: {} }, true],
    ["a version of null", { [VERSION]: null }, true],
    ["client info alone", { [CLIENT]: {} }, false],
    ["a progress token alone", { progressToken: 1 }, false],
    ["the keys in other letters", { [VERSION.toUpperCase()]: "2026-07-28" }, false],
    ["nothing", {}, false],
  ])("is detected in a _meta with %s: %j → %s", (_case, meta, expected) => {
    expect(hasEnvelope(request("tools/list", meta))).toBe(expected);
  });
});

describe("a message's era", () => {
  test.each([
    ["a plain request", request("tools/list"), undefined],
    ["a plain request with a legacy header", request("tools/list"), "2025-06-18"],
    ["a plain request with an unknown header", request("tools/list"), "2027-01-01"],
    ["a request with a progress token", request("tools/call", { progressToken: 1 }), undefined],
    ["server/discover without envelope", request("server/discover"), undefined],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" } as const, "2025-11-25"],
    ["params in a list", odd([]), undefined],
    ["params of null", odd(null), undefined],
    ["initialize", request("initialize"), undefined],
    ["initialize with a legacy header", request("initialize"), "2025-11-25"],
    [
      "initialize with an unsupported envelope",
      request("initialize", { ...VALID, [VERSION]: "2027-01-01" }),
      undefined,
    ],
    ["initialize with half an envelope", request("initialize", { [VERSION]: "2026-07-28" }), undefined],
  ])("is legacy: %s", (_case, message, header) => {
    expect(classifyEra(message, header)).toBe("legacy");
  });

  test.each([
    ["a request with an envelope", request("tools/list", VALID), undefined],
    ["a request with envelope and header", request("tools/list", VALID), "2026-07-28"],
    [
      "a request with a different version in the header: the body takes precedence",
      request("tools/list", VALID),
      "2025-06-18",
    ],
    ["a removed method with an envelope", request("ping", VALID), undefined],
    ["initialize with a valid envelope", request("initialize", VALID), undefined],
    ["initialize with a valid envelope and header", request("initialize", VALID), "2026-07-28"],
    [
      "an envelope with an unknown version",
      request("tools/list", { ...VALID, [VERSION]: "2027-01-01" }),
      undefined,
    ],
  ])("is modern: %s", (_case, message, header) => {
    expect(classifyEra(message, header)).toBe("modern");
  });

  test.each(BROKEN)("is modern without fallback: an envelope with %s", (_case, meta) => {
    for (const header of [undefined, "2025-11-25", "2026-07-28"]) {
      expect(classifyEra(request("tools/list", meta), header)).toBe("modern");
    }
  });

  test.each([
    ["no params", request("tools/list")],
    ["a _meta that claims nothing", request("tools/list", { progressToken: 1 })],
    ["params in a list", odd([])],
  ])("is rejected: a modern header and %s", (_case, message) => {
    expect(classifyEra(message, "2026-07-28")).toEqual({
      error: "INVALID_ENVELOPE",
      reason: `Protocol version 2026-07-28 requires \`_meta\` with ${KEYS}.`,
    });
  });

  test.each([
    ["no envelope", request("initialize")],
    ["a broken envelope", request("initialize", { [VERSION]: "2026-07-28" })],
  ])("is rejected: initialize with a modern header and %s", (_case, message) => {
    expect(classifyEra(message, "2026-07-28")).toEqual({
      error: "HEADER_MISMATCH",
      reason: "`initialize` is not available in protocol version 2026-07-28. Send `server/discover` instead.",
    });
  });
});
