/**
 * @fileoverview Errors for failed model requests. Messages never contain text from the server. That text is only in
 * `cause`, truncated and with secrets removed.
 * @module agent/models/model-failures
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { findTextKind, mentions, type TextKind } from "./error-kinds.js";
import { ModelError, type ModelErrorKind } from "./model-port.js";

/** Failed request to the model server. `retryAfterMs` is set if the request may be retried. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";

  constructor(
    /** Error to throw if the request is not retried. */
    readonly error: ModelError,
    /** Minimum delay before a retry, in milliseconds. `undefined` if the request must not be retried. */
    readonly retryAfterMs?: number | undefined,
    /** Status of a final error response. */
    readonly status?: number | undefined,
  ) {
    super(error.message);
  }
}

/** Error response from the model server. */
export interface RejectedError {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  /** Beginning of the response body. */
  readonly text: string;
  /** Sentences that tell how to fix a failure. @default sentences with the options of `createOpenAiModel` */
  readonly advice?: Advice | undefined;
}

/** Sentences that tell how to fix a failure. */
export interface Advice {
  readonly notFound: string;
  readonly redirect: string;
  readonly noTools: string;
}

const OPENAI_ADVICE: Advice = {
  notFound: "Check `model` and `baseUrl`.",
  redirect: "Redirects are not followed. Set `baseUrl` to the final URL.",
  noTools: 'Set `toolCalls` to "xml".',
};

/** Converts an error response to a failure. `now` is the current time in milliseconds, used for `Retry-After` dates. */
export function toRejectedError(
  { status, headers, text, advice = OPENAI_ADVICE }: RejectedError,
  redact: (text: string) => string,
  now: number,
): AttemptFailed {
  const cause = toCause(text, redact);
  const told = toTextError(findTextKind(text), { status, where: ` (status ${status})`, advice, cause });
  if (told !== undefined) return new AttemptFailed(told, undefined, status);
  if (!TRANSIENT.has(status)) {
    return new AttemptFailed(toFinalError(status, advice, cause), undefined, status);
  }
  const waitMs = toRetryAfter(headers, now);
  const kind = kindOf(status);
  if (waitMs > MAX_RETRY_AFTER_MS) {
    const seconds = Math.ceil(waitMs / 1000);
    const message = `${describeStatus(status)} (status ${status}). Try again in ${seconds} seconds.`;
    return new AttemptFailed(new ModelError(message, { ...cause, kind }));
  }
  const message = `${describeStatus(status)} (status ${status}).`;
  return new AttemptFailed(new ModelError(message, { ...cause, kind, isTransient: true }), waitMs);
}

interface TextErrorParts {
  readonly status: number | undefined;
  /** Status for the message, in parentheses. Empty for errors in a stream. */
  readonly where: string;
  readonly advice: Advice;
  readonly cause: ErrorOptions;
}

/** Creates the error for a failure that was recognized by its text. */
function toTextError(
  kind: TextKind | undefined,
  { status, where, advice, cause }: TextErrorParts,
): ModelError | undefined {
  if (status === 402 || kind === "quota") {
    const message = `The quota for this API key is exhausted${where}. Check the plan and billing of the account.`;
    return new ModelError(message, { ...cause, kind: "rate-limit" });
  }
  // These statuses have their own meaning, even if the text mentions tokens or tools.
  if (status === 401 || status === 429) return undefined;
  if (kind === "policy") {
    const message = `A content filter of the model server blocked the request${where}. Rephrase the request.`;
    return new ModelError(message, { ...cause, kind: "refused" });
  }
  if (kind === "context-length" && status !== 403) {
    const message = `The conversation is too long for the model${where}. ${USE_LARGER}`;
    return new ModelError(message, { ...cause, kind });
  }
  if (kind === "no-tools") {
    return new ModelError(`The model does not support native tool calls${where}. ${advice.noTools}`, cause);
  }
  return undefined;
}

const USE_LARGER = "Start a new conversation, or use a model with a larger context window.";

/** Creates the failure for an error that the server sent partway through a response. */
export function toBrokenAnswer(
  error: unknown,
  redact: (text: string) => string,
  advice: Advice = OPENAI_ADVICE,
): AttemptFailed {
  const members = isJsonObject(error) ? error : {};
  const cause = toCause(JSON.stringify(error) ?? "", redact);
  const status = statusOf(members);
  const told = toTextError(findTextKind(error), { status, where: "", advice, cause });
  if (told !== undefined) return new AttemptFailed(told);
  const isTransient = status === undefined ? !FINAL_TYPES.has(members["type"]) : TRANSIENT.has(status);
  const kind = status === undefined ? kindOfText(members, isTransient) : kindOf(status);
  const message = "The model server failed while sending the response.";
  return new AttemptFailed(
    new ModelError(message, { ...cause, kind, isTransient }),
    isTransient ? 0 : undefined,
  );
}

/** Creates the failure for a request that did not reach the server. */
export function unreachable(
  error: unknown,
  redact: (text: string) => string,
  advice = "Check `baseUrl`, and make sure that the server is running.",
): AttemptFailed {
  return toUnavailable(`Could not reach the model server. ${advice}`, toCause(describeError(error), redact));
}

/** Creates the failure for a connection that was lost before the end of the response. */
export function lost(error: unknown, redact: (text: string) => string): AttemptFailed {
  return toUnavailable("The connection to the model server was lost.", toCause(describeError(error), redact));
}

function toUnavailable(message: string, cause: ErrorOptions): AttemptFailed {
  return new AttemptFailed(new ModelError(message, { ...cause, kind: "unavailable", isTransient: true }), 0);
}

/** Creates the failure for a timeout. It is not retried, because the server may still be working on the request. */
export function silent(ms: number): AttemptFailed {
  const message = `The model server timed out (no data for ${ms} ms).`;
  return new AttemptFailed(new ModelError(message, { kind: "unavailable", isTransient: true }));
}

/** Creates the failure for a response that is not in OpenAI's format. */
export function notUnderstood(): AttemptFailed {
  return new AttemptFailed(
    new ModelError("The model server sent a response that is not OpenAI-compatible. Check `baseUrl`."),
  );
}

/** Creates the failure for a response that exceeds the limit. */
export function tooLong(maxAnswerChars: number): AttemptFailed {
  return new AttemptFailed(
    new ModelError(
      `The model's response is too long (limit: ${maxAnswerChars} characters). Raise \`maxAnswerChars\`.`,
    ),
  );
}

/** Creates a function that removes the given secrets, even short ones, from untrusted text and truncates the result. */
export function createRedact(secrets: readonly string[]): (text: string) => string {
  return createTextRedactor({ secrets, limit: MAX_CAUSE_CHARS, minLength: 1 });
}

const MAX_CAUSE_CHARS = 1_000;

function toCause(text: string, redact: (text: string) => string): ErrorOptions {
  const message = redact(text);
  return message === "" ? {} : { cause: new Error(message) };
}

/** Types of error objects that are not worth retrying. */
const FINAL_TYPES: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
]);
/** HTTP status codes that are worth retrying. */
const TRANSIENT: ReadonlySet<unknown> = /* @__PURE__ */ new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const BUSY: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 503, 529]);

/** Creates the error for a status that is not worth retrying. */
function toFinalError(status: number, advice: Advice, cause: ErrorOptions): ModelError {
  const what = `${describeStatus(status)} (status ${status}).`;
  const how = isRedirect(status) ? ` ${advice.redirect}` : status === 404 ? ` ${advice.notFound}` : "";
  return new ModelError(`${what}${how}`, { ...cause, kind: kindOf(status) });
}

function kindOf(status: number): ModelErrorKind | undefined {
  if (status === 401 || status === 403) return "authentication";
  if (status === 429) return "rate-limit";
  return status === 408 || status >= 500 ? "unavailable" : undefined;
}

/** Returns true if a status is a redirect. Some runtimes hide the status and report 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

function describeStatus(status: number): string {
  if (isRedirect(status)) return "The model server redirected the request to a different URL";
  if (status === 401 || status === 403) return "The model server rejected the API key";
  if (status === 404) return "The model server did not find the model or the URL";
  if (status === 429) return "The rate limit of the model server was reached";
  if (BUSY.has(status)) return "The model server is busy";
  return status >= 500 ? "The model server failed" : "The model server rejected the request";
}

/** Returns the HTTP status that an error object contains. */
function statusOf(error: JsonObject): number | undefined {
  return [error["code"], error["status"]].map(Number).find((number) => number >= 400 && number < 600);
}

/** Returns the type of an error object without a status. */
function kindOfText(error: JsonObject, isTransient: boolean): ModelErrorKind | undefined {
  if (mentions(error, /rate_limit/)) return "rate-limit";
  if (mentions(error, /authentication_error|invalid_api_key/)) return "authentication";
  return isTransient ? "unavailable" : undefined;
}

const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the delay requested by the server, in milliseconds. Reads `Retry-After-Ms`, then `Retry-After` (seconds or an
 * HTTP date).
 */
function toRetryAfter(headers: Pick<Headers, "get">, now: number): number {
  const seconds = headers.get("retry-after") ?? "";
  const waits = [
    toNumber(headers.get("retry-after-ms") ?? ""),
    toNumber(seconds) * 1000,
    /^[A-Z][a-z]{2}, /.test(seconds) ? Date.parse(seconds) - now : Number.NaN,
  ];
  return Math.max(0, waits.find((wait) => !Number.isNaN(wait)) ?? 0);
}

function toNumber(text: string): number {
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
}

/** Joins the messages of an error and its causes, because `fetch` reports the actual reason only in `cause`. */
function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length < 4; one = one.cause) {
    texts.push(`${one.name}: ${one.message}`);
  }
  return texts.join(" < ");
}
