/**
 * @fileoverview Errors for failed model requests. Messages never contain text from the server. That text is only in
 * `cause`, truncated and with secrets removed.
 * @module agent/models/openai-failures
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { ModelError } from "./model-port.js";

/** Failed request to the model server. `retryAfterMs` is set if the request may be retried. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";

  constructor(
    /** Error to throw if the request is not retried. */
    readonly error: ModelError,
    /** Minimum delay before a retry, in milliseconds. `undefined` if the request must not be retried. */
    readonly retryAfterMs?: number,
  ) {
    super(error.message);
  }
}

/** Error response from the model server. */
export interface Refusal {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  /** Beginning of the response body. */
  readonly text: string;
}

/** Converts an error response to a failure. `now` is the current time in milliseconds, used for `Retry-After` dates. */
export function toRefusal(
  { status, headers, text }: Refusal,
  redact: (text: string) => string,
  now: number,
): AttemptFailed {
  const cause = toCause(text, redact);
  if (isUsedUp(text)) {
    const message = `The quota for this API key is exhausted (status ${status}). ${CHECK_PLAN}`;
    return new AttemptFailed(new ModelError(message, cause));
  }
  if (!TRANSIENT.has(status)) return new AttemptFailed(toFinalError(status, cause));
  const waitMs = toRetryAfter(headers, now);
  if (waitMs > MAX_RETRY_AFTER_MS) {
    const seconds = Math.ceil(waitMs / 1000);
    const message = `The model server is busy (status ${status}). Try again in ${seconds} seconds.`;
    return new AttemptFailed(new ModelError(message, cause));
  }
  const message = `${describeStatus(status)} (status ${status}).`;
  return new AttemptFailed(new ModelError(message, { ...cause, isTransient: true }), waitMs);
}

/** Creates the failure for an error that the server sent partway through a response. */
export function toBrokenAnswer(error: unknown, redact: (text: string) => string): AttemptFailed {
  const isTransient = isTransientError(isJsonObject(error) ? error : {});
  const cause = toCause(JSON.stringify(error) ?? "", redact);
  const told = new ModelError("The model server failed while sending the response.", {
    ...cause,
    isTransient,
  });
  return new AttemptFailed(told, isTransient ? 0 : undefined);
}

/** Creates the failure for a request that did not reach the server. */
export function unreachable(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError(
      "Could not reach the model server. Check `baseUrl`, and make sure that the server is running.",
      {
        ...cause,
        isTransient: true,
      },
    ),
    0,
  );
}

/** Creates the failure for a connection that was lost before the end of the response. */
export function lost(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError("The connection to the model server was lost.", { ...cause, isTransient: true }),
    0,
  );
}

/** Creates the failure for a timeout. It is not retried, because the server may still be working on the request. */
export function silent(ms: number): AttemptFailed {
  const message = `The model server timed out (no data for ${ms} ms).`;
  return new AttemptFailed(new ModelError(message, { isTransient: true }));
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

/** Creates the failure for a response that a content filter blocked. */
export function withheld(): AttemptFailed {
  return new AttemptFailed(
    new ModelError("A content filter blocked the model's response. Rephrase the request."),
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

/** HTTP status codes that are worth retrying. */
const TRANSIENT: ReadonlySet<unknown> = /* @__PURE__ */ new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const BUSY: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 429, 503, 529]);

/** Creates the error for a status that is not worth retrying. */
function toFinalError(status: number, cause: ErrorOptions): ModelError {
  const what = `${describeStatus(status)} (status ${status}).`;
  return new ModelError(
    isRedirect(status) ? `${what} ${NO_REDIRECTS}` : status === 404 ? `${what} ${CHECK_NAMES}` : what,
    cause,
  );
}

const NO_REDIRECTS = "Redirects are not followed. Set `baseUrl` to the final URL.";
const CHECK_PLAN = "Check the plan and billing of the account.";
const CHECK_NAMES = "Check `model` and `baseUrl`.";

/** Returns true if a status is a redirect. Some runtimes hide the status and report 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

function describeStatus(status: number): string {
  if (isRedirect(status)) return "The model server redirected the request to a different URL";
  if (status === 401 || status === 403) return "The model server rejected the API key";
  if (status === 404) return "The model server did not find the model or the URL";
  if (BUSY.has(status)) return "The model server is busy";
  return status >= 500 ? "The model server failed" : "The model server rejected the request";
}

/** Returns true if the quota is exhausted. Unlike other 429 responses, this one must not be retried. */
function isUsedUp(text: string): boolean {
  const error = memberOf(readJson(text), "error");
  return memberOf(error, "code") === "insufficient_quota" || memberOf(error, "type") === "insufficient_quota";
}

function isTransientError(error: JsonObject): boolean {
  const status = [error["code"], error["status"]].map(Number).find((number) => number >= 400 && number < 600);
  return status === undefined ? error["type"] !== "invalid_request_error" : TRANSIENT.has(status);
}

function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
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

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Computes the delay in milliseconds before the next attempt: exponential backoff with full jitter, so that clients do
 * not retry at the same time. `attempt` starts at 1. `fraction` is a random number from 0 to 1.
 */
export function toBackOff(attempt: number, fraction: number): number {
  return Math.floor(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * fraction);
}

/** Joins the messages of an error and its causes, because `fetch` reports the actual reason only in `cause`. */
function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length < 4; one = one.cause) {
    texts.push(`${one.name}: ${one.message}`);
  }
  return texts.join(" < ");
}
