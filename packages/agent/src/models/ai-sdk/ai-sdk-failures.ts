/**
 * @fileoverview Errors for failed calls of AI SDK models. Messages never contain text from the provider. The `cause`
 * contains only the description of the failure, because the errors of the AI SDK carry the whole request.
 * @module agent/models/ai-sdk/ai-sdk-failures
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type Advice,
  AttemptFailed,
  lost,
  toBrokenAnswer,
  toRejectedError,
  unreachable,
} from "../model-failures.js";
import { ModelError } from "../model-port.js";

/** Functions that the conversion of errors needs. */
export interface FailureRules {
  /** Removes secrets from untrusted text. */
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

const ADVICE = {
  unreachable: "Check the URL of the provider, and make sure that the server is running.",
  notFound: "Check the ID of the model and the URL of its provider.",
  redirect: "Redirects are not followed. Set the final URL in the options of the provider.",
  noTools: 'Set `toolCalls` to "xml".',
} as const satisfies Advice & { readonly unreachable: string };

/** Converts an error that was thrown before the response started. */
export function toStartFailure(error: unknown, rules: FailureRules): AttemptFailed {
  const known = toKnownFailure(error, rules);
  if (known !== undefined) return known;
  if (isNetworkError(error)) return unreachable(error, rules.redact, ADVICE.unreachable);
  const isBroken = error instanceof Error && isNetworkError(error.cause);
  return isBroken ? lost(error, rules.redact) : toUnknownFailure(error, rules);
}

/** Converts an error that ended the stream. */
export function toReadFailure(error: unknown, rules: FailureRules): AttemptFailed {
  return toKnownFailure(error, rules) ?? lost(error, rules.redact);
}

/** Converts the error of an `error` part in a stream. */
export function toPartFailure(error: unknown, rules: FailureRules): AttemptFailed {
  return toKnownFailure(error, rules) ?? toBrokenAnswer(summarize(error, 0), rules.redact, ADVICE);
}

/** Creates the failure for a stream that does not follow the specification. */
export function malformed(): AttemptFailed {
  return new AttemptFailed(
    new ModelError(
      "The provider of the model sent a response that does not follow the AI SDK's specification.",
    ),
  );
}

/** Creates the failure for files that exceed the limit. */
export function filesTooLarge(limit: number): AttemptFailed {
  return new AttemptFailed(
    new ModelError(`The files in the model's response are too large (limit: ${limit} base64 characters).`),
  );
}

/** Messages for errors of the AI SDK that have no status. */
const MESSAGES: ReadonlyMap<unknown, readonly [string, ErrorKind]> = /* @__PURE__ */ new Map([
  [
    "AI_LoadAPIKeyError",
    [
      "The API key of the model's provider is missing. Set it in the options of the provider.",
      "authentication",
    ],
  ],
  ["AI_NoSuchModelError", [`The provider did not find the model. ${ADVICE.notFound}`, undefined]],
  [
    "AI_UnsupportedFunctionalityError",
    ["The provider of the model does not support a part of this request, such as a file type.", undefined],
  ],
]);

type ErrorKind = "authentication" | undefined;

function toKnownFailure(error: unknown, rules: FailureRules): AttemptFailed | undefined {
  if (!isJsonObject(error)) return undefined;
  const { statusCode: status, responseBody, responseHeaders, name } = error;
  // The AI SDK reports a connection that breaks with the status of the response, such as 200.
  if (typeof status === "number" && !(status >= 200 && status < 300)) {
    const text = typeof responseBody === "string" && responseBody !== "" ? responseBody : textOf(error);
    const headers = { get: (header: string) => readHeader(responseHeaders, header) };
    return toRejectedError({ status, headers, text, advice: ADVICE }, rules.redact, rules.now());
  }
  const [message, kind] = MESSAGES.get(name) ?? [];
  if (message === undefined) return undefined;
  return new AttemptFailed(new ModelError(message, { kind, cause: toCause(error, rules) }));
}

/** Creates the failure for an error of an unknown type. It is not retried, because it may be a programming error. */
function toUnknownFailure(error: unknown, rules: FailureRules): AttemptFailed {
  return new AttemptFailed(
    new ModelError("The provider of the model failed.", { cause: toCause(error, rules) }),
  );
}

function toCause(error: unknown, { redact }: FailureRules): Error {
  const name = isJsonObject(error) && typeof error["name"] === "string" ? error["name"] : "Error";
  return new Error(redact(`${name}: ${textOf(error)}`));
}

/** Returns true for connection errors: those of `fetch`, and those that the AI SDK marks as worth a retry. */
function isNetworkError(error: unknown): boolean {
  if (isJsonObject(error) && error["isRetryable"] === true) return true;
  return (
    error instanceof TypeError &&
    /^(?:fetch failed|failed to fetch|terminated|network|load failed)/i.test(error.message)
  );
}

/** Returns a header from a plain object. */
function readHeader(headers: unknown, name: string): string | null {
  if (!isJsonObject(headers)) return null;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof found?.[1] === "string" ? found[1] : null;
}

function textOf(error: unknown): string {
  const message = isJsonObject(error) ? error["message"] : error;
  return typeof message === "string" ? message : "";
}

const SUMMARY_MEMBERS = ["type", "code", "status", "message", "error", "data"];
const MAX_SUMMARY_DEPTH = 3;
const MAX_SUMMARY_CHARS = 2_000;

/** Copies the members that describe an error. Other members may contain the request. */
function summarize(error: unknown, depth: number): unknown {
  if (typeof error === "string") return error.slice(0, MAX_SUMMARY_CHARS);
  if (typeof error === "number") return error;
  if (!isJsonObject(error) || depth === MAX_SUMMARY_DEPTH) return undefined;
  const summary: Record<string, unknown> = {};
  for (const name of SUMMARY_MEMBERS) {
    const value = summarize(error[name], depth + 1);
    if (value !== undefined) summary[name] = value;
  }
  return liftInner(summary);
}

/** Adds the members of a nested error, because the status and the type are read from the top level. */
function liftInner(summary: JsonObject): JsonObject {
  const inner = summary["error"];
  return isJsonObject(inner) ? { ...inner, ...summary, type: inner["type"] ?? summary["type"] } : summary;
}
