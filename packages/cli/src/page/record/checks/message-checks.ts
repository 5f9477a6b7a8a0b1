/**
 * @fileoverview Checks of a call's messages and headers, with the functions that servers use.
 * @module cli/page/record/checks/message-checks
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  checkParamHeaders,
  checkStandardHeaders,
  compileHeaderRules,
  describeInvalidMessage,
  type HeaderReader,
  isRequestId,
  type JsonRpcRequest,
  messageKind,
  TRAITS,
} from "tenon/protocol";
import type { Check, WireEntry } from "../../protocol.js";
import { type CheckedCall, findRequest, findResponse, type FoundMessage, toCheck } from "./checked-call.js";

/** Checks the request and the response, and the headers of the request. */
export function checkMessages(call: CheckedCall): readonly Check[] {
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
