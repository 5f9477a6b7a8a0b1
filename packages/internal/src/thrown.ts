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

/** Converts a thrown value to text. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "Unknown error";
  }
}

/** Returns the `code` of a thrown error, such as `ENOENT`. Returns `undefined` for other values. */
export function codeOf(thrown: unknown): string | number | undefined {
  try {
    const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    return typeof code === "string" || typeof code === "number" ? code : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if memory could not be allocated, such as a buffer, or the WebAssembly memory of Node's `fetch`. V8 ends the
 * process if its heap is full, so there is no error for that.
 */
export function isOutOfMemory(thrown: unknown): boolean {
  return isInstance(thrown, RangeError) && /allocation failed|out of memory/i.test(messageOf(thrown) ?? "");
}
