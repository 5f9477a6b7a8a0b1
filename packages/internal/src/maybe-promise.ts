/**
 * @fileoverview Values that may be synchronous. A synchronous result does not cost a promise.
 * @module internal/maybe-promise
 */

/** A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Checks that a value is a promise or another thenable. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  // The engine caches the load of a missing property, but not a lookup with `in`.
  return (
    typeof value === "object" && value !== null && typeof (value as Partial<Promise<T>>).then === "function"
  );
}

/** Calls `next` with a value: synchronously, or after the promise resolves. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? continueWith(value, next) : next(value);
}

/** Waits for a promise. `await` also handles thenables whose `then` throws or returns nothing. */
async function continueWith<T, R>(value: Promise<T>, next: (value: T) => MaybePromise<R>): Promise<R> {
  return next(await value);
}
