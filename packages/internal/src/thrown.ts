/**
 * @fileoverview Reads thrown values safely. Handlers can throw anything, including a value that throws when it is read.
 * The functions in this file never throw.
 * @module internal/thrown
 */

/** Narrows a value by its class. A proxy whose `getPrototypeOf` trap throws is not an instance of any class. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Returns a thrown error's message. Returns `undefined` for other values and for messages that are not strings. */
export function messageOf(thrown: unknown): string | undefined {
  try {
    if (!(thrown instanceof Error)) return undefined;
    const message: unknown = thrown.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the `code` of a thrown error, such as `ENOENT`. Returns `undefined` for other values. */
export function codeOf(thrown: unknown): unknown {
  try {
    return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  } catch {
    return undefined;
  }
}
