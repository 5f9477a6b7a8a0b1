/**
 * @fileoverview Values that may be there at once: a synchronous answer never pays for a promise.
 * @module internal/maybe-promise
 */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Tells a promise (or any thenable) from a plain value. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  // A member that is not there is remembered by the engine where it is loaded, and not where it is looked for by `in`.
  return (
    typeof value === "object" && value !== null && typeof (value as Partial<Promise<T>>).then === "function"
  );
}

/** Continues with a value now if it is here, or when it comes. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? continueWith(value, next) : next(value);
}

/** Waits for a promise. `await` also handles thenables whose `then` throws or returns nothing. */
async function continueWith<T, R>(value: Promise<T>, next: (value: T) => MaybePromise<R>): Promise<R> {
  return next(await value);
}
