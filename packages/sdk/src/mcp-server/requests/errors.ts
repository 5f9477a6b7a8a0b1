/**
 * @fileoverview Errors in the words of the official SDK, and what becomes of those that callbacks throw.
 * @module app/mcp-server/errors
 */
import type { Issue } from "tenon/host";
import { isInstance, messageOf } from "@tenon/internal/thrown";
import { read } from "@tenon/internal/security/safe-text";
import { McpError } from "tenon/protocol";
import type { Failure, RequestScope } from "./request-scope.js";

/** The number of an error that names what is wrong with a request. */
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const URL_ELICITATION_REQUIRED = -32042;

/** A client's refusal, or a question that nobody answered. */
export class RequestError extends Error {
  override readonly name = "McpError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(numbered(code, message));
  }
}

/** A text with the number in front, as the official SDK writes it. */
export function numbered(code: number, message: string): string {
  return `MCP error ${code}: ${message}`;
}

/** What is wrong with a value, one line for each issue. */
export function describeFor(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const where = path.map((one) => (typeof one === "object" ? one.key : one));
    return where.length === 0 ? message : `${message} at ${dotted(where)}`;
  });
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  return lines.join("\n");
}

/** A hostile list of a million wrong items is not answered with a million lines. */
const MAX_ISSUES = 50;

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      index === 0 ? String(part) : typeof part === "number" ? `[${part}]` : `.${String(part)}`,
    )
    .join("");
}

/**
 * Notes what a failed callback is to be answered with, and throws on. Questions that wait for the client's answer, and
 * answers that broke the rules, are the core's to tell.
 *
 * @param exposes whether the text of an unexpected error may be sent
 */
export function failVisit(visit: RequestScope, error: unknown, exposes: boolean): never {
  const questions = visit.call?.questions;
  if (questions?.open === true || questions?.isFault(error) === true || isInstance(error, McpError))
    throw error;
  const code = codeOf(error);
  if (code === undefined && !exposes) throw error;
  visit.failure = toFailure(error, code);
  throw error;
}

/** The same for a tool, whose failures are results but for one: the client must open a link first. */
export function failTool(visit: RequestScope, error: unknown): never {
  const code = codeOf(error);
  if (code === URL_ELICITATION_REQUIRED) visit.failure = toFailure(error, code);
  throw isInstance(error, Error) ? error : new Error(toText(error));
}

/** The text of a thrown value that is not an error, as the official SDK sends it. */
function toText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "Unknown error";
  }
}

/** The failure that an error of a callback is answered with. Never throws. */
export function toFailure(error: unknown, code = codeOf(error)): Failure {
  const data = isInstance(error, Error) ? read(error, "data") : undefined;
  return {
    code: code ?? INTERNAL_ERROR,
    message: messageOf(error) ?? "Internal error",
    ...(data === undefined ? {} : { data }),
  };
}

/** The number that an error carries: it was made to be sent. Never throws. */
export function codeOf(error: unknown): number | undefined {
  const code = isInstance(error, Error) ? read(error, "code") : undefined;
  return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined;
}
