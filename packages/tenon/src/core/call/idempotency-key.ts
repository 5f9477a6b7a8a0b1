/**
 * @fileoverview Reads the idempotency key of a call: from the `Idempotency-Key` header or from `_meta`. Tasks keep it,
 * because their handler runs without the headers of the request.
 * @module tenon/core/call/idempotency-key
 */
import type { JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { RequestError } from "../../protocol/errors.js";
import type { Call } from "./call.js";

/** Member of `_meta` with the key. */
export const IDEMPOTENCY_META = "tenon/idempotencyKey";

/** Header with the key. */
const IDEMPOTENCY_HEADER = "idempotency-key";

const MAX_KEY_LENGTH = 255;

/**
 * Returns the key of a call, or `undefined` if it has none.
 * @throws {RequestError} if the key is invalid, or if the header and `_meta` contain different keys
 */
export function readIdempotencyKey(call: Call): string | undefined {
  const inHeader = call.header(IDEMPOTENCY_HEADER);
  const inMeta = call.meta[IDEMPOTENCY_META];
  if (inHeader === undefined && inMeta === undefined) return undefined;
  const key = inMeta === undefined ? unquote(inHeader ?? "") : inMeta;
  if (inMeta !== undefined && inHeader !== undefined && inMeta !== unquote(inHeader)) {
    throw new RequestError(
      "INVALID_PARAMS",
      `The header \`Idempotency-Key\` and \`_meta["${IDEMPOTENCY_META}"]\` contain different keys. Send one of them.`,
    );
  }
  if (typeof key === "string" && key.length <= MAX_KEY_LENGTH && VISIBLE_ASCII.test(key)) return key;
  const got = typeof key === "string" ? `${key.length} characters` : kindOf(key);
  throw new RequestError(
    "INVALID_PARAMS",
    `An idempotency key must consist of 1 to ${MAX_KEY_LENGTH} visible ASCII characters; got ${got}.`,
  );
}

/** Adds the key from the header to the `_meta` of a task. An invalid key stays invalid, so that the task rejects it. */
export function keepIdempotencyKey(call: Call, meta: JsonObject): JsonObject {
  const inHeader = call.header(IDEMPOTENCY_HEADER);
  if (inHeader === undefined || meta[IDEMPOTENCY_META] !== undefined) return meta;
  return { ...meta, [IDEMPOTENCY_META]: unquote(inHeader).slice(0, MAX_KEY_LENGTH + 1) };
}

/** Removes the quotes of a string in a structured header. */
function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
