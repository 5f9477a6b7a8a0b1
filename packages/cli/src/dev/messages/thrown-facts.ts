/**
 * @fileoverview Converts a thrown value to data that another process can show.
 * @module cli/dev/messages/thrown-facts
 */
import { kindOf } from "@tenon/internal/kind-of";
import { read } from "@tenon/internal/security/safe-text";
import type { ThrownFacts } from "./messages.js";

/** Converts a thrown value and its causes. Never throws, and bounds all texts. */
export function toThrownFacts(thrown: unknown, depth = 0): ThrownFacts {
  const cause = depth < MAX_CAUSES ? read(thrown, "cause") : undefined;
  return {
    message: textOf(thrown, "message", MAX_MESSAGE) ?? describeOther(thrown),
    name: textOf(thrown, "name", MAX_NAME),
    code: textOf(thrown, "code", MAX_NAME),
    stack: textOf(thrown, "stack", MAX_STACK),
    cause: cause === undefined || cause === null ? undefined : toThrownFacts(cause, depth + 1),
  };
}

const MAX_CAUSES = 4;
const MAX_NAME = 100;
const MAX_MESSAGE = 8_000;
const MAX_STACK = 20_000;

function textOf(thrown: unknown, key: string, limit: number): string | undefined {
  const value = read(thrown, key);
  return typeof value === "string" ? value.slice(0, limit) : undefined;
}

/** Describes a value that is not an error. */
function describeOther(thrown: unknown): string {
  const isPlain = ["string", "number", "boolean", "bigint"].includes(typeof thrown);
  return isPlain ? String(thrown).slice(0, MAX_MESSAGE) : `${kindOf(thrown)} was thrown`;
}
