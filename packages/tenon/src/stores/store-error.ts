/**
 * @fileoverview The one error of the stores that a caller is meant to tell apart. A wrong argument is a `RangeError`.
 * @module stores/store-error
 */

/** Why a store refuses: it is `full`, or a single value is `too-large` for its bounds. */
export type StoreErrorCode = "full" | "too-large";

/** A store's refusal. Nothing was written. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
