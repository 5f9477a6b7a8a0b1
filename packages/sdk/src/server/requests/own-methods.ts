/**
 * @fileoverview Runs the application's own request handlers with the same checks and limits as built-in methods.
 * @module sdk/server/requests/own-methods
 */
import type { Exchange, McpResponse } from "tenon";
import { busyResponse, emptyResponse, errorResponse, type Issue, toPublicError } from "tenon/host";
import {
  checkStandardHeaders,
  checkVersionHeader,
  classifyEra,
  type ErrorName,
  McpError,
  readEnvelope,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { isInstance } from "@tenon/internal/thrown";
import {
  describeFor,
  type FailureLog,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isForClients,
  toFailure,
  URL_ELICITATION_REQUIRED,
} from "./errors.js";
import type { Failure, Request, RequestScope } from "./request-scope.js";

/** Returns an error response if a request is invalid. A connection's first request determines its era. */
export function refusalOf(message: Request, exchange: Exchange | undefined): McpResponse | undefined {
  const refuse = (error: ErrorName, reason: string, data?: unknown) =>
    errorResponse(message.id, { error, message: reason, data, era: exchange?.connection.era ?? "modern" });
  const { params } = message as { readonly params?: unknown };
  if (params !== undefined && !isJsonObject(params))
    return refuse("INVALID_PARAMS", "`params` must be an object.");
  if (exchange === undefined) return undefined;
  const { connection } = exchange;
  const era = connection.era ?? classifyEra(message, exchange.header?.("mcp-protocol-version") ?? undefined);
  if (typeof era === "object") return refuse(era.error, era.reason, era.details);
  connection.era = era;
  if (era === "legacy") return undefined;
  const header = exchange.header && ((name: string) => exchange.header?.(name));
  const otherVersion = header && checkVersionHeader(message, header);
  if (otherVersion !== undefined) return refuse("HEADER_MISMATCH", otherVersion);
  const envelope = readEnvelope(message);
  if ("error" in envelope) return refuse(envelope.error, envelope.reason, envelope.details);
  const mismatch = header && checkStandardHeaders(message, header);
  return mismatch === undefined ? undefined : refuse("HEADER_MISMATCH", mismatch);
}

/** Records a subscription that the application's own handler has accepted, so that updates reach the client. */
export function trackSubscription({ method, params }: Request, exchange: Exchange | undefined): void {
  const uri = params?.["uri"];
  if (typeof uri !== "string" || exchange === undefined) return;
  if (method === "resources/subscribe") exchange.connection.subscribe(uri, exchange.auth?.scopes);
  if (method === "resources/unsubscribe") exchange.connection.unsubscribe(uri);
}

/** Settings for handling a failed task. */
export interface Failing {
  /** Creates the error response. */
  readonly reply: (scope: RequestScope, failure: Failure) => McpResponse;
  /** True if clients may see the messages of unexpected errors. */
  readonly exposeErrors: boolean;
  readonly log: FailureLog;
}

/** Runs a request's task. Settles immediately if the request is cancelled or the client disconnects. */
export function runTracked(
  scope: RequestScope,
  task: () => Promise<McpResponse>,
  failing: Failing,
): MaybePromise<McpResponse> {
  const { message, exchange, era } = scope;
  const { id } = message;
  const connection = exchange?.connection;
  const busy = connection && busyResponse(connection, id, era);
  if (busy !== undefined) return busy;
  return new Promise((resolve) => {
    const settle = (response: McpResponse) => {
      connection?.end(id);
      exchange?.signal?.removeEventListener("abort", onGone);
      resolve(response);
    };
    const cancel = (reason: unknown) => {
      settle(emptyResponse);
      scope.abort(reason);
    };
    const onGone = () => cancel(exchange?.signal?.reason);
    connection?.begin(id, cancel);
    exchange?.signal?.addEventListener("abort", onGone);
    task().then(settle, (error: unknown) => settle(toErrorResponse(scope, error, failing)));
  });
}

/**
 * Returns the result of an application's handler. A handler that returns nothing has an empty result.
 *
 * @throws if the result is not an object
 */
export function toOwnResult(method: string, result: unknown): JsonObject {
  if (result === undefined) return {};
  if (isJsonObject(result)) return result;
  throw new TypeError(`The handler of "${method}" returned ${kindOf(result)}. A result must be an object.`);
}

/** Creates the error response for a failed callback. */
export function failureResponse(scope: RequestScope, failure: Failure): McpResponse {
  const { message, data } = failure;
  const { era } = scope;
  const isUnknown = era === "modern" && failure.code === URL_ELICITATION_REQUIRED;
  const code = isUnknown ? INTERNAL_ERROR : failure.code;
  return errorResponse(scope.message.id, { error: "INTERNAL_ERROR", code, message, data, era });
}

function toErrorResponse(
  scope: RequestScope,
  error: unknown,
  { exposeErrors, log, reply }: Failing,
): McpResponse {
  if (isInstance(error, UnreadableRequest)) {
    return reply(scope, { code: INVALID_PARAMS, message: error.message });
  }
  const told = isInstance(error, McpError) ? toPublicError(error) : undefined;
  if (told !== undefined) {
    const { code, message, details: data, rpc } = told;
    return errorResponse(scope.message.id, { error: code, message, data, code: rpc, era: scope.era });
  }
  const isMeant = isForClients(error);
  if (!isMeant) log.record(scope.message.method, error);
  return reply(scope, toFailure(isMeant || exposeErrors ? error : undefined, exposeErrors));
}

/** Thrown if the application's schema rejects a request. */
export class UnreadableRequest extends Error {
  constructor(cause: unknown) {
    const issues: unknown = isJsonObject(cause) ? cause["issues"] : undefined;
    // Safe: every Zod version reports issues in this form.
    super(`invalid params: ${Array.isArray(issues) ? describeFor(issues as readonly Issue[]) : MISMATCH}`);
  }
}

const MISMATCH = "the request does not match its schema";
