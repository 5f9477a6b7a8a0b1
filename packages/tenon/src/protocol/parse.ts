/**
 * @fileoverview From text or bytes to a JSON value, within limits that are checked before anything is built.
 * @module protocol/parse
 */
import { findExcess, readJson } from "@tenon/internal/json";
import { decodeUtf8, exceedsUtf8 } from "@tenon/internal/utf8";
import type { ErrorName } from "./errors.js";

/** Bounds on what a stranger may send in one frame. */
export interface MessageLimits {
  /**
   * Largest frame in bytes: stops memory exhaustion.
   * @default 4 MiB
   */
  readonly maxBytes: number;
  /**
   * Deepest nesting of objects and arrays, counted before validation: stops stack exhaustion in validators.
   * @default 64
   */
  readonly maxDepth: number;
  /**
   * Most values in one frame, counted before it is parsed. Every element of an array and every member of an object is
   * one, at any depth. Stops messages that keep the event loop busy in parsers and validators.
   * @default 25000
   */
  readonly maxValues: number;
  /**
   * Most messages in one batch: stops amplification.
   * @default 100
   */
  readonly maxBatch: number;
}

/** The limits used where none are given. */
export const DEFAULT_LIMITS: MessageLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDepth: 64,
  maxValues: 25_000,
  maxBatch: 100,
};

/** A parsed frame, or the reason why there is none. */
export type ParseOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorName; readonly reason: string };

/** Parses one frame; `isPlain` as in `readJson`. */
export function parseFrame(
  frame: string | Uint8Array,
  limits: MessageLimits = DEFAULT_LIMITS,
  isPlain = false,
): ParseOutcome {
  const isText = typeof frame === "string";
  const tooLarge = isText ? exceedsUtf8(frame, limits.maxBytes) : frame.length > limits.maxBytes;
  if (tooLarge) return refuse(`message exceeds ${limits.maxBytes} bytes`, "INVALID_REQUEST");

  const text = isText ? frame : decodeUtf8(frame);
  if (text === undefined) return refuse("message is not valid UTF-8");
  const excess = findExcess(text, limits.maxDepth, limits.maxValues);
  if (excess === "depth") {
    return refuse(`message nests deeper than ${limits.maxDepth} levels`, "INVALID_REQUEST");
  }
  if (excess === "values") {
    return refuse(`message has more than ${limits.maxValues} values (limit maxValues)`, "INVALID_REQUEST");
  }

  const value = readJson(text, isPlain);
  return value === undefined ? refuse("message is not valid JSON") : { ok: true, value };
}

function refuse(reason: string, error: ErrorName = "PARSE_ERROR"): ParseOutcome {
  return { ok: false, error, reason };
}
