/**
 * @fileoverview Options that all kinds of models have.
 * @module agent/models/model-options
 */
import { listOptionProblems, type OptionTable } from "@tenon/internal/options/define-options";
import { custom, integer, oneOf } from "@tenon/internal/options/option-rows";
import type { Ports } from "@tenon/internal/ports";
import { MAX_TIMER } from "../shared/max-timer.js";

/** Options of every model. */
export const MODEL_ROWS = {
  /** Number of tokens that a conversation and its response may have. @default unknown */
  contextWindow: integer(),
  /** Clock, timers, and randomness. Replaced in tests. */
  ports: custom<Partial<Ports>>(),
} as const;

/** Options of models that run on a server. */
export const SERVED_MODEL_ROWS = {
  ...MODEL_ROWS,
  /**
   * Format of tool calls: the provider's native calls, or XML tags in the text for models without native calls.
   * @default "native"
   */
  toolCalls: oneOf(["xml", "native"], { default: "native" }),
  /**
   * Maximum number of attempts per response. A response that has started is not requested again.
   * @default 4
   */
  maxAttempts: integer({ default: 4, max: 10, aliases: ["retries", "maxRetries"] }),
  /**
   * Maximum time without data from the server, in milliseconds.
   * @default 120000
   */
  idleTimeoutMs: integer({ default: 120_000, max: MAX_TIMER, aliases: ["timeout", "timeoutMs"] }),
  /**
   * Maximum number of characters in a response, including reasoning and calls.
   * @default 1000000
   */
  maxAnswerChars: integer({ default: 1_000_000, max: 100_000_000 }),
} as const;

/** Throws an error with all problems of a model's options. `others` come from checks that the table does not make. */
export function assertModelOptions(table: OptionTable, options: unknown, others: Iterable<string>): void {
  throwIfAny([...listOptionProblems(table, options), ...others]);
}

/** Throws an error with all problems, each a sentence, if there are any. */
export function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`Model configuration is invalid: ${problems.join(" ")}`);
}
