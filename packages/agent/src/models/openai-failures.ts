/**
 * @fileoverview What can go wrong with a model's server, in our words. Its own words stand in `cause` at most, cut
 * short and without secrets.
 * @module agent/models/openai-failures
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import { ModelError } from "./model-port.js";

/** An attempt that failed, and whether another may help. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";

  constructor(
    /** What is told if there is no other attempt. */
    readonly error: ModelError,
    /** Milliseconds to wait at least before the next attempt; `undefined` where there should be none. */
    readonly retryAfterMs?: number,
  ) {
    super(error.message);
  }
}

/** An answer of a server that is none of a model. */
export interface Refusal {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  /** The beginning of what it says. */
  readonly text: string;
}

/** The failure that a status means. */
export function toRefusal(
  { status, headers, text }: Refusal,
  redact: (text: string) => string,
  now: number,
): AttemptFailed {
  const cause = toCause(text, redact);
  const fail = (what: string, isTransient = false) =>
    new ModelError(`${what} (status ${status})`, { ...cause, isTransient });
  if (isUsedUp(text)) return new AttemptFailed(fail("The quota at the model's server is used up"));
  if (!TRANSIENT.has(status)) return new AttemptFailed(fail(describeStatus(status)));
  const waitMs = toRetryAfter(headers, now);
  if (waitMs > MAX_RETRY_AFTER_MS) {
    const seconds = Math.ceil(waitMs / 1000);
    const message = `The model's server is busy (status ${status}) and asks to wait ${seconds} seconds`;
    return new AttemptFailed(new ModelError(message, cause));
  }
  return new AttemptFailed(fail(describeStatus(status), true), waitMs);
}

/** The failure that an error in the middle of an answer means. */
export function toBrokenAnswer(error: unknown, redact: (text: string) => string): AttemptFailed {
  const isTransient = isTransientError(isJsonObject(error) ? error : {});
  const cause = toCause(JSON.stringify(error) ?? "", redact);
  const told = new ModelError("The model's server failed while it answered", { ...cause, isTransient });
  return new AttemptFailed(told, isTransient ? 0 : undefined);
}

/** The failure of a server that could not be reached. */
export function unreachable(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError("The model's server cannot be reached", { ...cause, isTransient: true }),
    0,
  );
}

/** The failure of a connection that ended before the answer did. */
export function lost(error: unknown, redact: (text: string) => string): AttemptFailed {
  const cause = toCause(describeError(error), redact);
  return new AttemptFailed(
    new ModelError("The connection to the model was lost", { ...cause, isTransient: true }),
    0,
  );
}

/** The failure of a server that says nothing for too long. It may be busy with the question, so it is not asked again. */
export function silent(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model's server stopped answering", { isTransient: true }));
}

/** The failure of a server that does not speak the protocol. */
export function notUnderstood(): AttemptFailed {
  return new AttemptFailed(
    new ModelError("The model's server does not answer as an OpenAI-compatible server does"),
  );
}

/** The failure of an answer that has no end. */
export function tooLong(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model's answer is too long"));
}

/** The failure of an answer that nobody may read. */
export function withheld(): AttemptFailed {
  return new AttemptFailed(new ModelError("The model's answer was withheld by a content filter"));
}

/** Creates the redactor of foreign text. It removes the model's own secrets, which may be of any length. */
export function createRedact(secrets: readonly string[]): (text: string) => string {
  return createTextRedactor({ secrets, limit: MAX_CAUSE_CHARS, minLength: 1 });
}

const MAX_CAUSE_CHARS = 1_000;

function toCause(text: string, redact: (text: string) => string): ErrorOptions {
  const message = redact(text);
  return message === "" ? {} : { cause: new Error(message) };
}

/** Statuses after which the same question may be answered. */
const TRANSIENT: ReadonlySet<unknown> = /* @__PURE__ */ new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const BUSY: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 429, 503, 529]);

function describeStatus(status: number): string {
  if (status === 0 || (status >= 300 && status < 400))
    return "The model's server redirects to another address";
  if (status === 401 || status === 403) return "The model's server refused the API key";
  if (status === 404) return "The model's server does not know the model or the address";
  if (BUSY.has(status)) return "The model's server is busy";
  return status >= 500 ? "The model's server failed" : "The model's server refused the request";
}

/** Waiting does not help there, though the status says so. */
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

/** How long the server asks to wait: in milliseconds, in seconds, or until a date. */
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

/** How long to wait after an attempt (the first is 1): twice as long each time, and any part of that, so that not all come back at once. */
export function toBackOff(attempt: number, fraction: number): number {
  return Math.floor(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * fraction);
}

/** `fetch` says what is wrong in causes of causes. */
function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length < 4; one = one.cause) {
    texts.push(`${one.name}: ${one.message}`);
  }
  return texts.join(" < ");
}
