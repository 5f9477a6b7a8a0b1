/**
 * @fileoverview Repeats model requests that fail before the response starts.
 * @module agent/models/retry
 */
import type { Ports } from "@tenon/internal/ports";
import type { ModelPiece } from "./model-port.js";
import { AttemptFailed } from "./model-failures.js";
import { pause } from "./waiting.js";

/** Limits for retries. */
export interface RetryRules {
  readonly maxAttempts: number;
  readonly ports: Pick<Ports, "startTimer" | "randomBytes">;
}

/**
 * Yields the response of the first attempt that succeeds. After the first piece, a failure is final.
 *
 * @throws {ModelError} if the last attempt fails
 */
export async function* withRetries(
  attempt: () => AsyncIterable<ModelPiece>,
  { maxAttempts, ports }: RetryRules,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  for (let count = 1; ; count++) {
    let hasBegun = false;
    try {
      for await (const piece of attempt()) {
        hasBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      const { retryAfterMs } = error;
      if (hasBegun || count === maxAttempts || retryAfterMs === undefined) throw error.error;
      await pause(Math.max(retryAfterMs, toBackOff(count, toFraction(ports.randomBytes(4)))), signal, ports);
    }
  }
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Computes the delay in milliseconds before the next attempt: exponential backoff with full jitter, so that clients do
 * not retry at the same time. `attempt` starts at 1. `fraction` is a random number from 0 to 1.
 */
function toBackOff(attempt: number, fraction: number): number {
  return Math.floor(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * fraction);
}

/** Converts bytes to a number from 0 (inclusive) to 1 (exclusive). */
function toFraction(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number / 256 + byte / 256, 0);
}
