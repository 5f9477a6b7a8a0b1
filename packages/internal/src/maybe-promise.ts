/**
 * @fileoverview Helpers for values that may be promises. Synchronous values are passed on without creating a promise.
 * @module internal/maybe-promise
 */

/** Value, or a promise that resolves to it. */
export type MaybePromise<T> = T | Promise<T>;

/** Returns true if a value is a promise or any other thenable. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  // Engines cache reads of a missing property, but not lookups with `in`.
  return (
    typeof value === "object" && value !== null && typeof (value as Partial<Promise<T>>).then === "function"
  );
}

/** Calls `next` with the value: immediately, or once the promise resolves. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? continueWith(value, next) : next(value);
}

/** Waits for a promise. `await` also handles thenables whose `then` throws or returns `undefined`. */
async function continueWith<T, R>(value: Promise<T>, next: (value: T) => MaybePromise<R>): Promise<R> {
  return next(await value);
}
