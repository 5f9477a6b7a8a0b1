/**
 * @fileoverview Recognizes the type of a model failure from the error texts of providers. Providers do not share one
 * error format, so the codes and phrases of the common ones are listed here.
 * @module agent/models/error-kinds
 */
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";

/** Failures that are recognized by their text, because providers report them with the same status as other failures. */
export type TextKind = "context-length" | "quota" | "policy" | "no-tools";

/**
 * Finds the type of a failure in the body of an error response, or in an error object from a stream. Only the members
 * that describe the error are searched, because other members may repeat a user's text.
 */
export function findTextKind(error: unknown): TextKind | undefined {
  const text = textOf(error);
  return PHRASES.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Returns true if the text of an error, in lowercase, matches a pattern. */
export function mentions(error: unknown, pattern: RegExp): boolean {
  return pattern.test(textOf(error));
}

function textOf(error: unknown): string {
  return [...describe(error, 0)].join("\n").toLowerCase();
}

/** Codes and phrases in lowercase. The first match counts. */
const PHRASES: readonly (readonly [TextKind, RegExp])[] = [
  ["quota", /insufficient_quota|billing_hard_limit_reached|credit balance is too low/],
  ["context-length", /context[_ ]length[_ ]exceeded|max(?:imum)? context length|context length of only/],
  ["context-length", /(?:model's|than the) context length|exceed_context_size|context (?:size|window|limit)/],
  [
    "context-length",
    /(?:prompt|input) (?:is )?too long|maximum (?:model|prompt) length|range of input length/,
  ],
  ["context-length", /input token count|input tokens exceed|too many (?:input )?tokens|model token limit/],
  [
    "context-length",
    /tokens_limit_reached|model_max_prompt_tokens_exceeded|`inputs` tokens \+ `max_new_tokens`/,
  ],
  ["context-length", /reduce the length of (?:the|your) messages/],
  ["policy", /content_policy_violation|content management policy|content_filter|moderation_blocked/],
  ["policy", /flagged for moderation|requires moderation|prohibited_content|data_inspection_failed/],
  ["no-tools", /does not support (?:tool|function calling)|tool use is not supported|tools param requires/],
  ["no-tools", /no endpoints found that support tool use|--enable-auto-tool-choice|requires --jinja/],
];

/** Members of error objects that describe the error. `raw` is a provider's body in the body of a gateway. */
const MEMBERS = [
  "error",
  "message",
  "code",
  "type",
  "status",
  "detail",
  "metadata",
  "raw",
  "msg",
  "loc",
  "param",
];
const MAX_DEPTH = 8;
const MAX_ITEMS = 8;
/** Longer texts are not descriptions, but may repeat a request. */
const MAX_TEXT_CHARS = 2_000;

/** Yields the texts that describe an error. Texts that contain JSON are parsed. */
function* describe(error: unknown, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) return;
  if (typeof error === "string") {
    if (exceedsDepth(error, MAX_JSON_DEPTH)) return;
    const inner = /^\s*[[{]/.test(error) ? readJson(error) : undefined;
    if (inner === undefined) yield error.slice(0, MAX_TEXT_CHARS);
    else yield* describe(inner, depth + 1);
  } else if (Array.isArray(error)) {
    for (const item of error.slice(0, MAX_ITEMS)) yield* describe(item, depth + 1);
  } else if (isJsonObject(error)) {
    for (const name of MEMBERS) if (Object.hasOwn(error, name)) yield* describe(error[name], depth + 1);
  }
}

const MAX_JSON_DEPTH = 64;
