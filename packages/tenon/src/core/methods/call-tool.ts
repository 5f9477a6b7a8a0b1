/**
 * @fileoverview Handles `tools/call`.
 * @module tenon/core/methods/call-tool
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { checkParamHeaders, type ToolResult } from "../../protocol/index.js";
import { RequestError } from "../../protocol/errors.js";
import { plainText } from "../../protocol/revisions/encoder.js";
import { describeIssues } from "../../schema/issues.js";
import type { CheckResult, ValidatedCall } from "../../schema/schema.js";
import { type Incoming, refuse, refuseWith } from "../call/incoming.js";
import { quoted } from "@tenon/internal/text";
import { admits } from "../wire/access.js";
import { type OperationKind, runOperation } from "../call/operation.js";
import { type McpResponse, resultResponse } from "../wire/response.js";
import { logRejected } from "../wire/log.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { isInstance, messageOf } from "@tenon/internal/thrown";
import { toPublicError } from "../../protocol/public-error.js";
import { logHandlerFailure, refuseWithPublic, URL_ELICITATION_REQUIRED } from "../call/failure.js";
import { readArguments, type ToolEntry } from "../definitions/tool.js";
import { ArgumentsError, OutputError, PartError } from "../definitions/tool-errors.js";
import { errorResult, unwritable } from "../definitions/results/tool-result.js";

/** Looks up a tool, checks its scopes and arguments, and runs its handler. */
export function callTool(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { params, exchange, encoder } = incoming;
  if (params === undefined) return refuse(incoming, "INVALID_PARAMS", "params required");
  const name = params["name"];
  if (typeof name !== "string")
    return refuse(incoming, "INVALID_PARAMS", "invalid params: name must be a string");
  let entry = snapshot.tools.get(name);
  if (entry === undefined) return refuseUnknown(incoming, name);
  if (!admits(entry, exchange)) return refuseScopes(incoming, `Tool "${name}"`, entry.scopes);
  const args = readArguments(params["arguments"]);
  if (args === undefined)
    return refuse(incoming, "INVALID_PARAMS", "invalid params: arguments must be an object");
  if (entry.restricted !== undefined && exchange?.auth !== undefined) {
    const denied = entry.restricted.findDenied(args, exchange.auth);
    if (denied !== undefined) return refuseScopes(incoming, denied.label, denied.scopes);
    exchange.noteScopes?.(entry.restricted.scopesOf(args));
    entry = entry.restricted.select(exchange.auth);
    // A caller that may not use any action does not see the tool.
    if (entry === undefined) return refuseUnknown(incoming, name);
  }
  if (entry.headerRules.length > 0 && encoder.traits.paramHeaders && exchange?.header !== undefined) {
    const mismatch = checkParamHeaders(entry.headerRules, args, (field) => exchange.header?.(field));
    if (mismatch !== undefined) return refuse(incoming, "HEADER_MISMATCH", mismatch);
  }
  const kind = entry.taskOf === undefined ? TOOL : (snapshot.taskKind ?? TOOL);
  return runOperation<ToolEntry, unknown>({ kind, entry, args, incoming });
}

function refuseUnknown(incoming: Incoming, name: string): McpResponse {
  const code = incoming.services.unknownToolCode;
  return refuseWith(incoming, { error: "UNKNOWN_TOOL", message: `Unknown tool: ${quoted(name)}`, code });
}

/** Rejects a call with the scopes that it requires, so that the client can ask its user for them. */
function refuseScopes(incoming: Incoming, label: string, scopes: readonly string[]): McpResponse {
  return refuseWith(incoming, {
    error: "INSUFFICIENT_SCOPE",
    message: `${label} requires these scopes: ${scopes.join(", ")}.`,
    data: { requiredScopes: scopes },
  });
}

/** Runs a tool in its request. */
export const TOOL: OperationKind<ToolEntry, ToolResult | string> = {
  noun: "Tool",

  run(entry, args, call) {
    const checked = parseArguments(entry, args);
    return isPromise(checked) ? checked.then((late) => entry.run(late, call)) : entry.run(checked, call);
  },

  plainText: (result) => (typeof result === "string" ? result : plainText(result)),

  encode(entry, result, { encoder }) {
    const isFailure = typeof result !== "string" && result.isError === true;
    try {
      return encoder.toolResult(isFailure ? asFailure(entry, result) : result, entry.wrapsOutput);
    } catch (error) {
      throw unwritable(`Tool "${entry.name}"`, error);
    }
  },

  fail(entry, error, incoming) {
    const { encoder, services, method } = incoming;
    if (isInstance(error, ArgumentsError)) {
      logRejected(services.log, { operation: method, name: entry.name, message: error.message });
      if (entry.validationErrors === "protocol") return refuse(incoming, "INVALID_PARAMS", error.message);
      return resultResponse(incoming.id, encoder.toolResult(errorResult(error.text), entry.wrapsOutput));
    }
    if (isInstance(error, MissingHandler)) return refuse(incoming, "INTERNAL_ERROR", error.message);
    const cause = causeOf(error);
    const told = toPublicError(cause);
    // Stays a JSON-RPC error, because clients read URLs for the user from its data.
    const hasUrls = told?.rpc === URL_ELICITATION_REQUIRED && encoder.traits.era === "legacy";
    if (told !== undefined && (hasUrls || isInstance(cause, RequestError)))
      return refuseWithPublic(incoming, told);
    if (isInstance(cause, ArgumentsError)) {
      logRejected(services.log, { operation: method, name: entry.name, message: cause.message });
    } else if (isInstance(cause, OutputError)) {
      services.log?.({
        level: "error",
        event: "output-invalid",
        operation: method,
        name: entry.name,
        error: cause,
      });
    } else if (told === undefined) {
      logHandlerFailure(entry.name, cause, incoming);
    }
    const result = toFailureResult(entry.name, error, services.exposeErrors);
    return resultResponse(incoming.id, encoder.toolResult(result, entry.wrapsOutput));
  },
};

/** Validates a call's arguments. @throws if they are invalid, or if the tool's handler is not attached yet */
export function parseArguments(entry: ToolEntry, args: unknown): MaybePromise<ValidatedCall> {
  const checked = entry.check(args as Parameters<ToolEntry["check"]>[0]);
  return isPromise(checked)
    ? checked.then((late) => assertCallable(entry, late))
    : assertCallable(entry, checked);
}

function assertCallable(entry: ToolEntry, checked: CheckResult): ValidatedCall {
  if (checked.issues !== undefined) throw new ArgumentsError(describeIssues(checked.issues));
  if (!entry.isReady()) throw new MissingHandler(entry.name);
  return checked;
}

/**
 * Moves an error result's structured content to `_meta` if the tool has an output schema. Error data does not match
 * that schema, and clients that validate structured content would reject the whole result.
 */
function asFailure(entry: ToolEntry, result: ToolResult): ToolResult {
  if (result.structuredContent === undefined || entry.definition.outputSchema === undefined) return result;
  const { structuredContent, ...rest } = result;
  return { ...rest, _meta: { ...rest._meta, [STRUCTURED_ERROR_META]: structuredContent } };
}

const STRUCTURED_ERROR_META = "tenon/structuredError";

/** Thrown when a declared tool is called before its handler is attached. */
class MissingHandler extends Error {
  constructor(name: string) {
    super(`no handler for tool: ${name}`);
  }
}

/** Converts an error to the result that the model sees. The message of an unexpected error is hidden by default. */
export function toFailureResult(tool: string, error: unknown, exposeErrors: boolean): ToolResult {
  const cause = causeOf(error);
  const text = toPublicError(cause)?.text ?? (exposeErrors ? messageOf(cause) : undefined);
  if (!isInstance(error, PartError)) return errorResult(text ?? `Tool ${tool} failed`);
  return errorResult(text === undefined ? error.message : `${error.part} ${text}`);
}

/** Returns the error behind the failure of a tool's part. */
function causeOf(error: unknown): unknown {
  return isInstance(error, PartError) ? error.cause : error;
}
