/**
 * @fileoverview Parses a frame into a JSON value. Checks the limits before parsing.
 * @module tenon/protocol/parse
 */
import { findExcess, readJson } from "@tenon/internal/json";
import { defineOptions, type ParsedOptions, parseOptions } from "@tenon/internal/options/define-options";
import { number } from "@tenon/internal/options/option-rows";
import { decodeUtf8, exceedsUtf8 } from "@tenon/internal/utf8";
import type { ErrorName } from "./errors.js";

/** Limits for one frame from an untrusted client. */
export const MESSAGE_LIMITS = /* @__PURE__ */ defineOptions("limits", {
  /**
   * Maximum frame size in bytes. Stops memory exhaustion.
   * @default 4194304
   */
  maxBytes: number({ default: 4 * 1024 * 1024 }),
  /**
   * Maximum nesting depth of objects and arrays, checked before parsing. Stops stack exhaustion in validators.
   * @default 64
   */
  maxDepth: number({ default: 64 }),
  /**
   * Maximum number of values in a frame, counted before parsing. Every array element and object member counts, at any
   * depth. Stops messages that keep the event loop busy in parsers and validators.
   * @default 25000
   */
  maxValues: number({ default: 25_000 }),
  /**
   * Maximum number of messages in a batch. Stops amplification, where one request causes many calls.
   * @default 100
   */
  maxBatch: number({ default: 100 }),
});

/** Limits for one frame from an untrusted client. */
export type MessageLimits = ParsedOptions<typeof MESSAGE_LIMITS>;

/** Default message limits. */
export const DEFAULT_LIMITS: MessageLimits = /* @__PURE__ */ parseOptions(MESSAGE_LIMITS, {});

/** Parsed value, or the reason for rejecting the frame. */
export type ParseOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorName; readonly reason: string };

/**
 * Parses one frame. Returns the reason if the frame is malformed or exceeds a limit.
 *
 * @param isPlain see `readJson`
 */
export function parseFrame(
  frame: string | Uint8Array,
  limits: MessageLimits = DEFAULT_LIMITS,
  isPlain = false,
): ParseOutcome {
  const isText = typeof frame === "string";
  const tooLarge = isText ? exceedsUtf8(frame, limits.maxBytes) : frame.length > limits.maxBytes;
  if (tooLarge)
    return refuse(`The message is too large (limit: ${limits.maxBytes} bytes).`, "INVALID_REQUEST");

  const text = isText ? frame : decodeUtf8(frame);
  if (text === undefined) return refuse("The message is not valid UTF-8.");
  const excess = findExcess(text, limits.maxDepth, limits.maxValues);
  if (excess === "depth") {
    return refuse(`The message is nested deeper than ${limits.maxDepth} levels.`, "INVALID_REQUEST");
  }
  if (excess === "values") {
    const excessText = `The message has more than ${limits.maxValues} values.`;
    return refuse(
      `${excessText} Send a smaller message, or raise \`maxValues\` on the server.`,
      "INVALID_REQUEST",
    );
  }

  const value = readJson(text, isPlain);
  return value === undefined ? refuse("The message is not valid JSON.") : { ok: true, value };
}

function refuse(reason: string, error: ErrorName = "PARSE_ERROR"): ParseOutcome {
  return { ok: false, error, reason };
}
