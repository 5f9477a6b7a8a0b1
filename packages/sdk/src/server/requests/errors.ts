/**
 * @fileoverview Errors with the official SDK's texts, and handling of errors that callbacks throw.
 * @module sdk/server/requests/errors
 */
import type { LogSink } from "tenon";
import { type Call, isSdkError, type Issue } from "tenon/host";
import { McpError } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { toPublicData } from "@tenon/internal/security/public-data";
import { read, safeMessage } from "@tenon/internal/security/safe-text";
import { codeOf, isInstance, messageOf, textOf } from "@tenon/internal/thrown";
import type { Failure, RequestScope } from "./request-scope.js";

/** JSON-RPC error code for invalid parameters. */
export const INVALID_PARAMS = -32602;
/** JSON-RPC error code for internal errors. */
export const INTERNAL_ERROR = -32603;
/** Error code of the official SDK for a request that ended before the client responded. */
export const REQUEST_TIMEOUT = -32001;
/** Error code of the official SDK for a connection that closed before the client responded. */
export const CONNECTION_CLOSED = -32000;

/** Thrown when a request to the client fails: the client responded with an error, or the request timed out. */
export class RequestError extends Error {
  override readonly name = "McpError";

  /** @param text the message without the code */
  constructor(
    readonly code: number,
    readonly text: string,
    readonly data?: unknown,
  ) {
    super(numbered(code, text));
  }
}

/** Adds the prefix `MCP error <code>: ` to a message, as the official SDK does. */
export function numbered(code: number, message: string): string {
  return `MCP error ${code}: ${message}`;
}

/** Describes validation issues, one per line. */
export function describeFor(issues: readonly Issue[]): string {
  const describe = ({ path = [], message }: Issue) => {
    const where = path.map((one) => (typeof one === "object" ? one.key : one));
    return where.length === 0 ? message : `${message} at ${dotted(where)}`;
  };
  return listIssues(issues, describe).join("\n");
}

/** Maximum number of issues in a reply. Bounds the reply even if a request contains a million invalid items. */
const MAX_ISSUES = 50;

/** Describes each of the first 50 issues, and the number of the others. */
export function listIssues(issues: readonly Issue[], describe: (issue: Issue) => string): readonly string[] {
  const shown = issues.slice(0, MAX_ISSUES).map(describe);
  return issues.length > MAX_ISSUES ? [...shown, `and ${issues.length - MAX_ISSUES} more`] : shown;
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      index === 0 ? String(part) : typeof part === "number" ? `[${part}]` : `.${String(part)}`,
    )
    .join("");
}

/**
 * Records a callback's error for the reply, and rethrows it. Pending requests for input and invalid responses are not
 * recorded, because the core reports them itself.
 *
 * @param exposeErrors true if clients may see the messages of unexpected errors
 */
export async function failRequest(
  scope: RequestScope,
  error: unknown,
  exposeErrors: boolean,
): Promise<never> {
  const questions = scope.call?.questions;
  if (questions?.open === true || questions?.isFault(error) === true || isInstance(error, McpError))
    throw error;
  await openPages(scope, error);
  if (!exposeErrors && !isForClients(error)) throw error;
  scope.failure = toFailure(error, exposeErrors);
  throw error;
}

/**
 * Rethrows a tool's error, which the core sends as a tool result. Only "URL elicitation required" is recorded and sent
 * as a JSON-RPC error, except in the stateless revision.
 */
export async function failTool(scope: RequestScope, error: unknown): Promise<never> {
  await openPages(scope, error);
  const isUrlError = rpcCodeOf(error) === URL_ELICITATION_REQUIRED;
  if (isUrlError && scope.era === "legacy") scope.failure = toFailure(error, true);
  throw isInstance(error, Error) ? error : new Error(textOf(error));
}

/** Asks the client to open the pages of a "URL elicitation required" error, in the stateless revision only. */
async function openPages({ call, era }: RequestScope, error: unknown): Promise<void> {
  if (rpcCodeOf(error) !== URL_ELICITATION_REQUIRED || era === "legacy" || call === undefined) return;
  await askForPages(call, error);
}

/**
 * Converts a callback's error to the error that the client receives. Never throws.
 *
 * @param exposeErrors true to send the message unchanged, as the official SDK does; otherwise, it is redacted and cut
 */
export function toFailure(error: unknown, exposeErrors: boolean): Failure {
  const data = toPublicData(isInstance(error, Error) ? read(error, "data") : undefined);
  const message = exposeErrors ? messageOf(error) : error === undefined ? undefined : safeMessage(error);
  return {
    code: rpcCodeOf(error) ?? INTERNAL_ERROR,
    message: message ?? "Internal error",
    ...(data === undefined ? {} : { data }),
  };
}

/**
 * Returns true if an error's message is meant for clients: an error of the official SDK, or one with a JSON-RPC error
 * code. Other numeric codes, such as those of gRPC, do not count.
 */
export function isForClients(error: unknown): boolean {
  const code = rpcCodeOf(error);
  return code !== undefined && (isSdkError(error) || (code >= -32768 && code <= -32000));
}

/** Returns an error's JSON-RPC code, if any. Never throws. */
function rpcCodeOf(error: unknown): number | undefined {
  const code = codeOf(error);
  return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined;
}

/** Error code of "URL elicitation required". It must not be sent in the stateless revision. */
export const URL_ELICITATION_REQUIRED = -32042;

/** Maximum number of pages in one error. */
const MAX_PAGES = 100;

/**
 * Asks the client to open the pages that an error names. Until the client has responded, the returned promise rejects
 * with the core's interrupt, and the callback runs again in the next round.
 */
export async function askForPages(call: Call, error: unknown): Promise<void> {
  const data = read(error, "data");
  const found: unknown = isJsonObject(data) ? data["elicitations"] : undefined;
  const pages = (Array.isArray(found) ? found : []).slice(0, MAX_PAGES).filter(isJsonObject);
  const asked = pages.map(({ message, url, elicitationId }) =>
    call.input(`url-${String(elicitationId)}`, {
      kind: "url",
      message: String(message),
      url: String(url),
    }),
  );
  await Promise.all(asked);
}

/** Log sink that is set once: by the server's `log` option, or else by its transport. */
export class FailureLog {
  #sink: LogSink | undefined;

  constructor(sink: LogSink | undefined) {
    this.#sink = sink;
  }

  /** Sets the sink of a server without one. */
  use(sink: LogSink): void {
    this.#sink ??= sink;
  }

  /** Logs a failure. Ignores errors in the sink, so that they do not fail the request. */
  record(operation: string, error: unknown, name = operation): void {
    try {
      this.#sink?.({ level: "error", event: "handler-failed", operation, name, error });
    } catch {
      // Ignore errors in the sink: they cannot be logged.
    }
  }
}
