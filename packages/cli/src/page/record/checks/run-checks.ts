/**
 * @fileoverview Checks a recorded call: its messages and headers, its arguments, and its result.
 * @module cli/page/record/checks/run-checks
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { mapLists } from "../../../client/list-feature.js";
import { toFacts } from "../../../doctor/facts/facts.js";
import { RESULT_RULES } from "../../../doctor/rules/results/rules.js";
import type { Rule } from "../../../doctor/rule.js";
import type { Check, Problem, WireEntry } from "../../protocol.js";
import { findProblems } from "../../schema/find-problems.js";
import {
  checkParamHeaders,
  checkStandardHeaders,
  compileHeaderRules,
  describeInvalidMessage,
  type Era,
  type HeaderReader,
  isRequestId,
  type JsonRpcRequest,
  messageKind,
  type Revision,
  TRAITS,
} from "tenon/protocol";

/** Runs all checks that apply to a call. */
export function runChecks(call: CheckedCall): readonly Check[] {
  const messages = checkMessages(call);
  return call.method === "tools/call" ? [...messages, ...checkTool(call)] : messages;
}

function checkTool(call: CheckedCall): readonly Check[] {
  const { tool, params, result } = call;
  if (tool === undefined)
    return [
      { title: "Tool is in the list", status: "warning", detail: "The server does not list this tool." },
    ];
  const isFinal = result !== undefined && (result["resultType"] ?? "complete") === "complete";
  return [
    checkSchema("Arguments match the input schema", tool["inputSchema"], params?.["arguments"] ?? {}),
    ...(isFinal ? checkResult(call, tool, result) : []),
  ];
}

function checkResult(call: CheckedCall, tool: JsonObject, result: JsonObject): readonly Check[] {
  const { structuredContent: structured, isError } = result;
  const output = tool["outputSchema"];
  const isChecked = isJsonObject(output) && structured !== undefined && isError !== true;
  return [
    ...(isChecked ? [checkSchema("Structured content matches the output schema", output, structured)] : []),
    ...RESULT_CHECKS.flatMap(({ title, rule, applies }) =>
      applies(output, structured) ? [checkRule(title, rule, { call, tool, result })] : [],
    ),
  ];
}

/** Rule of `tenon doctor` as a check. */
interface ResultCheck {
  readonly title: string;
  readonly applies: (output: unknown, structured: unknown) => boolean;
}

/** Checks by the ID of their rule. */
const CHECKS: Readonly<Record<string, ResultCheck>> = {
  "output-missing": { title: "Result has the declared structured content", applies: isJsonObject },
  "structured-content": {
    title: "Content and structured content are equal",
    applies: (_output, structured) => structured !== undefined,
  },
  "result-size": { title: "Result fits into a model's context", applies: () => true },
};

const RESULT_CHECKS = /* @__PURE__ */ Object.entries(CHECKS).flatMap(([id, check]) =>
  RESULT_RULES.filter((rule) => rule.id === id).map((rule) => ({ ...check, rule })),
);

interface CalledTool {
  readonly call: CheckedCall;
  readonly tool: JsonObject;
  readonly result: JsonObject;
}

function checkRule(title: string, { severity, check }: Rule, { call, tool, result }: CalledTool): Check {
  const facts = toFacts({
    server: {},
    revision: call.revision ?? "",
    capabilities: {},
    lists: mapLists((list) => ({ items: list === "tools" ? [tool] : [] })),
    calls: [{ tool: String(tool["name"]), result }],
  });
  for (const problem of check(facts)) {
    const status = (problem.severity ?? severity) === "error" ? "failed" : "warning";
    return { title, status, detail: `${problem.message} ${problem.fix}` };
  }
  return { title, status: "ok" };
}

function checkSchema(title: string, schema: unknown, value: unknown): Check {
  if (!isJsonObject(schema)) return { title, status: "not-checked", detail: "The tool has no such schema." };
  const outcome = findProblems(schema, value);
  if (!outcome.ok) return { title, status: "not-checked", detail: outcome.reason };
  if (outcome.problems.length === 0) return { title, status: "ok" };
  return { title, status: "failed", detail: outcome.problems.slice(0, MAX_SHOWN).map(describe).join(" ") };
}

const MAX_SHOWN = 5;

function describe({ path, message }: Problem): string {
  return oneLine(path.length === 0 ? message : `${path.join(".")}: ${message}`, 300);
}

/** Checks the request and the response, and the headers of the request. */
function checkMessages(call: CheckedCall): readonly Check[] {
  const request = findRequest(call);
  const response = findResponse(call);
  return [
    checkValid("Request is a valid message", request, "request"),
    ...(request.ok ? checkHeaders(call, request) : []),
    ...(call.wire.some(({ direction }) => direction === "received")
      ? [checkValid("Response is a valid message", response, "response"), ...checkId(request, response)]
      : []),
  ];
}

function checkValid(title: string, found: FoundMessage, kind: "request" | "response"): Check {
  if (!found.ok) return { title, status: "not-checked", detail: found.reason };
  const { message } = found;
  const actual = messageKind(message);
  if (actual === "invalid") return toCheck(title, describeInvalid(message));
  return toCheck(title, actual === kind ? undefined : `The message must be a ${kind}; got a ${actual}.`);
}

function describeInvalid(message: unknown): string {
  return message === undefined ? "The text is not JSON." : describeInvalidMessage(message);
}

/** Checks that the response has the ID of the last request, which a repeated request can change. */
function checkId(request: FoundMessage, response: FoundMessage): readonly Check[] {
  if (!request.ok || !response.ok || !isJsonObject(response.message)) return [];
  const { id } = response.message;
  // An error without an ID belongs to a request that the server could not read.
  const isKnown = isRequestId(id) || id === null;
  return [toCheck("Response has an ID", isKnown ? undefined : "`id` must be the ID of the request.")];
}

type Found = Extract<FoundMessage, { readonly ok: true }>;

function checkHeaders(call: CheckedCall, { message, entry }: Found): readonly Check[] {
  const { http } = entry;
  if (http === undefined || !isJsonObject(message)) return [];
  const header = toReader(http.headers);
  const request = message as unknown as JsonRpcRequest; // Safe: the functions below check the members that they read
  if (call.era === "legacy") return checkLegacyHeaders(call, header);
  return [
    toCheck("Headers match the body", checkStandardHeaders(request, header)),
    ...checkArguments(call.tool, request, header),
  ];
}

/** Sessions require the version in a header since the revision that introduced it. */
function checkLegacyHeaders({ revision, method }: CheckedCall, header: HeaderReader): readonly Check[] {
  if (revision === undefined || !TRAITS[revision].versionHeader || method === "initialize") return [];
  const sent = header("mcp-protocol-version");
  const problem =
    sent === revision ? undefined : `MCP-Protocol-Version must be ${revision}; got ${sent ?? "no header"}.`;
  return [toCheck("MCP-Protocol-Version header", problem, "warning")];
}

function checkArguments(
  tool: JsonObject | undefined,
  { method, params }: JsonRpcRequest,
  header: HeaderReader,
): readonly Check[] {
  const schema = tool?.["inputSchema"];
  if (method !== "tools/call" || !isJsonObject(schema)) return [];
  const title = "Headers match the arguments";
  const compiled = compileHeaderRules(schema);
  if (!compiled.ok) return [toCheck(title, `${compiled.path}: ${compiled.reason}`)];
  if (compiled.rules.length === 0) return [];
  return [toCheck(title, checkParamHeaders(compiled.rules, params?.["arguments"], header))];
}

function toReader(headers: NonNullable<WireEntry["http"]>["headers"]): HeaderReader {
  const byName = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => byName.get(name.toLowerCase());
}

/** Call to check. */
export interface CheckedCall {
  readonly method: string;
  readonly era: Era;
  readonly revision: Revision | undefined;
  readonly params: JsonObject | undefined;
  readonly result: JsonObject | undefined;
  readonly wire: readonly WireEntry[];
  /** Definition of the called tool, if it is in the list. */
  readonly tool: JsonObject | undefined;
}

/** Message of a call, or the reason why it cannot be checked. */
type FoundMessage =
  | { readonly ok: true; readonly message: unknown; readonly entry: WireEntry }
  | { readonly ok: false; readonly reason: string };

/** Returns the first request of a call. */
function findRequest({ wire, method }: CheckedCall): FoundMessage {
  return read(
    wire.find(({ direction, text }) => direction === "sent" && text.includes(JSON.stringify(method))),
    "The request was not recorded.",
  );
}

/** Returns the response to the last request of a call. */
function findResponse({ wire }: CheckedCall): FoundMessage {
  const found = wire.findLast(({ direction, text }) => direction === "received" && isResponseText(text));
  return read(found, "There is no response.");
}

/** Creates the result of a check: failed with the reason, or passed. */
function toCheck(title: string, problem: string | undefined, status: Check["status"] = "failed"): Check {
  return problem === undefined ? { title, status: "ok" } : { title, status, detail: problem };
}

function read(entry: WireEntry | undefined, missing: string): FoundMessage {
  if (entry === undefined) return { ok: false, reason: missing };
  if (entry.isCut) return { ok: false, reason: "The message is too long to be checked." };
  return { ok: true, message: readJson(entry.text), entry };
}

/** A response has a result or an error, and no method. Text that is not a message is also a response over HTTP. */
function isResponseText(text: string): boolean {
  const value = readJson(text);
  return text !== "" && (!isJsonObject(value) || typeof value["method"] !== "string");
}
