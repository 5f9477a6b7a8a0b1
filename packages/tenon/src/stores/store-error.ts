/**
 * @fileoverview Error class for rejected store operations that callers can handle. Invalid arguments throw a
 * `RangeError` instead.
 * @module stores/store-error
 */

/** Reason for the rejection: the store is `full`, or a single value is `too-large`. */
export type StoreErrorCode = "full" | "too-large";

/** Error for a rejected store operation. The store's content is unchanged. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
