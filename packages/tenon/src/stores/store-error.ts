/**
 * @fileoverview Error class of the stores, for refusals that callers can handle. An invalid argument throws a
 * `RangeError` instead.
 * @module stores/store-error
 */

/** Reason for a refusal: the store is `full`, or a single value is `too-large`. */
export type StoreErrorCode = "full" | "too-large";

/** Refused write. Nothing was written. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
