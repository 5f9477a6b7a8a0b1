/**
 * @fileoverview Rejects misspelled message limits, for every transport.
 * @module transport/check-limits
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { MessageLimits } from "../protocol/index.js";

/** Asserts that the message limits are known. @throws {TypeError} that starts with `label` */
export function assertLimits(limits: object | undefined, label: string): void {
  if (limits !== undefined) assertKnownOptions(limits, { label: `${label}: \`limits\``, names: LIMIT_NAMES });
}

const LIMIT_NAMES: OptionNames<MessageLimits> = {
  maxBytes: true,
  maxDepth: true,
  maxValues: true,
  maxBatch: true,
};
