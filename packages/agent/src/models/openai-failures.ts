/**
 * @fileoverview Failures of model servers, in fixed words. Text of the server appears only in `cause`, truncated
 * and without secrets.
 * @module agent/models/openai-failures
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { ModelError } from "./model-port.js";

/** A failed attempt. `retryAfterMs` is set if a retry may succeed. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";

  constructor(
    /** Error for the user if no further attempt is made. */
    readonly error: ModelError,
    /** Minimum delay before the next attempt, in milliseconds. Undefined if the request must not be repeated. */
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

/** Creates the failure for an error status. */
export function toRefusal(
  { status, headers, text }: Refusal,
  redact: (text: string) => string,
  now: number,
): AttemptFailed {
  const cause = toCause(text, redact);
  const fail = (what: string, isTransient = false) =>
    new ModelError(`${what} (status ${status}).`, { ...cause, isTransient });
  if (isUsedUp(text)) return new AttemptFailed(fail("The quota of the model server is used up"));
  if (!TRANSIENT.has(status)) return new AttemptFailed(fail(describeStatus(status)));
  const waitMs = toRetryAfter(headers, now);
  if (waitMs > MAX_RETRY_AFTER_MS) {
    const seconds = Math.ceil(waitMs / 1000);
    const message = `The model server is busy (status ${status}). Try again in ${seconds} seconds.`;
    return new AttemptFailed(new ModelError(message, cause));
  }
  return new AttemptFailed(fail(describeStatus(status), true), waitMs);
}

/** Creates the failure for an error event in the middle of an answer. */
export function toBrokenAnswer(error: unknown, redact: (text: string) => string): AttemptFailed {
  const isTransient = isTransientError(isJsonObject(error) ? error : {});
  const cause = toCause(JSON.stringify(error) ?? "", redact);
  const told = new ModelError("The model server failed while sending the answer.", { ...cause, isTransient });
  return new AttemptFailed(told, isTransient ? 0 : undefined);
}

/** Creates the failure for a server that cannot be reached. */
export function unreachable(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError("The model server cannot be reached.", { ...cause, isTransient: true }),
    0,
  );
}

/** Creates the failure for a connection that ended before the answer did. */
export function lost(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError("The connection to the model server was lost.", { ...cause, isTransient: true }),
    0,
  );
}

/** Creates the failure for a timeout. It is not retried, because the server may still be working on the request. */
export function silent(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model server timed out.", { isTransient: true }));
}

/** Creates the failure for a response that does not follow the protocol. */
export function notUnderstood(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model server sent a response that is not OpenAI-compatible."));
}

/** Creates the failure for an answer that exceeds the limit. */
export function tooLong(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model's answer is too long."));
}

/** Creates the failure for an answer that a content filter withheld. */
export function withheld(): AttemptFailed {
  return new AttemptFailed(new ModelError("A content filter withheld the model's answer."));
}

/** Creates the redactor for untrusted text. It removes the model's own secrets, whatever their length. */
export function createRedact(secrets: readonly string[]): (text: string) => string {
  return createTextRedactor({ secrets, limit: MAX_CAUSE_CHARS, minLength: 1 });
}

const MAX_CAUSE_CHARS = 1_000;

function toCause(text: string, redact: (text: string) => string): ErrorOptions {
  const message = redact(text);
  return message === "" ? {} : { cause: new Error(message) };
}

/** HTTP statuses that may be retried. */
const TRANSIENT: ReadonlySet<unknown> = /* @__PURE__ */ new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const BUSY: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 429, 503, 529]);

function describeStatus(status: number): string {
  if (status === 0 || (status >= 300 && status < 400)) return "The model server redirects to another URL";
  if (status === 401 || status === 403) return "The model server rejected the API key";
  if (status === 404) return "The model server does not know the model or the URL";
  if (BUSY.has(status)) return "The model server is busy";
  return status >= 500 ? "The model server failed" : "The model server rejected the request";
}

/** Detects an exhausted quota. A retry does not help, although the status suggests one. */
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

/** Reads the requested delay from the headers: milliseconds, seconds, or a date. */
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
 * Computes the delay after an attempt (the first is 1): exponential backoff with full jitter, so that clients do
 * not retry in step.
 */
export function toBackOff(attempt: number, fraction: number): number {
  return Math.floor(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * fraction);
}

/** Joins the messages of nested causes, because `fetch` reports the reason only in `cause`. */
function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length < 4; one = one.cause) {
    texts.push(`${one.name}: ${one.message}`);
  }
  return texts.join(" < ");
}
