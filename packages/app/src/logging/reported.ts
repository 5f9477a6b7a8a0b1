/**
 * @fileoverview Remembers which errors have been logged, so that each one is logged once.
 * @module app/logging/reported
 */

/** Marks an error as logged. Primitive values cannot be marked. */
export function markReported(error: unknown): void {
  if (typeof error === "object" && error !== null) reported.add(error);
}

/** Returns true if the error was marked as logged. */
export function isReported(error: unknown): boolean {
  return typeof error === "object" && error !== null && reported.has(error);
}

const reported = /* @__PURE__ */ new WeakSet<object>();
