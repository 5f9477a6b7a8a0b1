import { describe, expect, test } from "vitest";
import { LATEST_LEGACY, META, MODERN_REVISIONS } from "tenon/protocol";
import type { WireEntry } from "../../src/page/protocol.js";
import { type CheckedCall, runChecks } from "../../src/page/record/checks/run-checks.js";

const [MODERN = LATEST_LEGACY] = MODERN_REVISIONS;

const TOOL = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, region: { type: "string", "x-mcp-header": "Region" } },
    required: ["a"],
  },
  outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
};

const RESULT = { content: [{ type: "text", text: '{"sum":1}' }], structuredContent: { sum: 1 } };

const entry = (
  direction: WireEntry["direction"],
  message: unknown,
  more: Partial<WireEntry> = {},
): WireEntry => ({
  direction,
  at: 0,
  text: typeof message === "string" ? message : JSON.stringify(message),
  isCut: false,
  ...more,
});

const REQUEST = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "add",
    arguments: { a: 1, region: "eu" },
    _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} },
  },
};

const HEADERS: readonly (readonly [string, string])[] = [
  ["mcp-protocol-version", MODERN],
  ["mcp-method", "tools/call"],
  ["mcp-name", "add"],
  ["mcp-param-region", "eu"],
];

const RESPONSE = { jsonrpc: "2.0", id: 1, result: RESULT };

const check = (more: Partial<CheckedCall> = {}) =>
  runChecks({
    method: "tools/call",
    era: "modern",
    revision: MODERN,
    params: REQUEST.params,
    result: RESULT,
    wire: [
      entry("sent", REQUEST, { http: { method: "POST", headers: HEADERS } }),
      entry("received", RESPONSE, { http: { status: 200, headers: [] } }),
    ],
    tool: TOOL,
    ...more,
  });

const statusOf = (checks: ReturnType<typeof runChecks>) =>
  Object.fromEntries(checks.map(({ title, status }) => [title, status]));
const detailOf = (checks: ReturnType<typeof runChecks>, title: string) =>
  checks.find((one) => one.title === title)?.detail;

const withHeaders = (headers: typeof HEADERS) => [
  entry("sent", REQUEST, { http: { method: "POST", headers } }),
  entry("received", RESPONSE),
];

describe("the checks of a call", () => {
  test("pass for a call that is right", () => {
    expect(statusOf(check())).toEqual({
      "Request is a valid message": "ok",
      "Headers match the body": "ok",
      "Headers match the arguments": "ok",
      "Response is a valid message": "ok",
      "Response has an ID": "ok",
      "Arguments match the input schema": "ok",
      "Structured content matches the output schema": "ok",
      "Result has the declared structured content": "ok",
      "Content and structured content are equal": "ok",
      "Result fits into a model's context": "ok",
    });
  });

  test("find headers that differ from the body", () => {
    const wire = withHeaders(HEADERS.map(([name, value]) => [name, name === "mcp-name" ? "other" : value]));
    const checks = check({ wire });
    expect(statusOf(checks)["Headers match the body"]).toBe("failed");
    expect(detailOf(checks, "Headers match the body")).toBe(
      'The Mcp-Name header must match the body ("add"); got "other".',
    );
  });

  test("find headers that differ from the arguments", () => {
    const wire = withHeaders(HEADERS.filter(([name]) => name !== "mcp-param-region"));
    expect(detailOf(check({ wire }), "Headers match the arguments")).toContain("mcp-param-region");
  });

  test("find arguments and structured content that do not match", () => {
    const checks = check({
      params: { name: "add", arguments: { a: "1" } },
      result: { ...RESULT, structuredContent: { sum: "1" } },
    });
    expect(statusOf(checks)["Arguments match the input schema"]).toBe("failed");
    expect(detailOf(checks, "Arguments match the input schema")).toBe("a: Must be a number.");
    expect(detailOf(checks, "Structured content matches the output schema")).toBe("sum: Must be a number.");
    expect(statusOf(checks)["Content and structured content are equal"]).toBe("warning");
  });

  test("find results without declared structured content, and results that are too large", () => {
    const checks = check({ result: { content: [{ type: "text", text: "x".repeat(200_000) }] } });
    expect(statusOf(checks)["Result has the declared structured content"]).toBe("failed");
    expect(statusOf(checks)["Result fits into a model's context"]).toBe("failed");
  });

  test("find messages that are not valid", () => {
    const sent = entry("sent", REQUEST, { http: { method: "POST", headers: HEADERS } });
    const html = check({ wire: [sent, entry("received", "<html>")], result: undefined });
    expect(detailOf(html, "Response is a valid message")).toBe("The text is not JSON.");
    const version = check({ wire: [sent, entry("received", { ...RESPONSE, jsonrpc: "1.0" })] });
    expect(detailOf(version, "Response is a valid message")).toBe("jsonrpc must be '2.0'");
  });

  test("say which messages could not be checked", () => {
    const wire = [entry("sent", REQUEST, { isCut: true }), entry("received", RESPONSE, { isCut: true })];
    const checks = check({ wire });
    expect(statusOf(checks)["Request is a valid message"]).toBe("not-checked");
    expect(detailOf(checks, "Response is a valid message")).toBe("The message is too long to be checked.");
  });

  test("of a session compare its version header", () => {
    const legacy = { era: "legacy", revision: LATEST_LEGACY } as const;
    const right = check({ ...legacy, wire: withHeaders([["mcp-protocol-version", LATEST_LEGACY]]) });
    expect(statusOf(right)["MCP-Protocol-Version header"]).toBe("ok");
    const missing = check({ ...legacy, wire: withHeaders([]) });
    expect(detailOf(missing, "MCP-Protocol-Version header")).toBe(
      `MCP-Protocol-Version must be ${LATEST_LEGACY}; got no header.`,
    );
  });

  test("warn about a tool that is not in the list, and do not check a schema that is missing", () => {
    expect(statusOf(check({ tool: undefined }))["Tool is in the list"]).toBe("warning");
    expect(statusOf(check({ tool: { name: "add" } }))["Arguments match the input schema"]).toBe(
      "not-checked",
    );
  });
});
