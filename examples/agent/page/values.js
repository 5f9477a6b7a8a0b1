/**
 * @fileoverview Narrows values from the server. A value with the wrong type becomes an empty value of the expected
 * type.
 * @module examples/agent/page/values
 */

/** @type {(value: unknown) => string} */
export function text(value) {
  return typeof value === "string" ? value : "";
}

/**
 * Returns the value if it is an integer that `Date` accepts as a timestamp.
 * @type {(value: unknown) => number | undefined}
 */
export function number(value) {
  const fits = typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 8.64e15;
  return fits ? value : undefined;
}

/** @type {(value: unknown) => readonly unknown[]} */
export function list(value) {
  return Array.isArray(value) ? value : [];
}

/** @type {(value: unknown) => Readonly<Record<string, unknown>>} */
export function record(value) {
  return typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/**
 * Returns the reason a run ended, based on the conversation's status.
 * @type {(status: string) => string}
 */
export function endOfRun(status) {
  return { aborted: "interrupted", error: "error", completed: "completed" }[status] ?? "";
}
