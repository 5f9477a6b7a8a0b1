/**
 * @fileoverview Error class for rejected store operations that callers can handle. Invalid arguments throw a
 * `RangeError` instead.
 * @module tenon/stores/store-error
 */

/**
 * Reason for the rejection: the store is `full`, the owner of the value has used its `share`, or a single value is
 * `too-large`.
 */
export type StoreErrorCode = "full" | "share" | "too-large";

/** Error for a rejected store operation. The store's content is unchanged. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Creates the error for a full store. `noun` and `option` are the words for its entries and their limit. */
export function fullStoreError({ noun, option, maxEntries, maxBytes }: FullStore): StoreError {
  return new StoreError(
    "full",
    `The store is full (limit: ${maxEntries} ${noun}, ${maxBytes} bytes). ` +
      `Raise \`${option}\` or \`maxTotalBytes\`, or delete unused ${noun}.`,
  );
}

/** Creates the error for an owner that has used its share of a store. */
export function usedShareError({ noun, option, maxEntries, maxBytes }: FullStore): StoreError {
  return new StoreError(
    "share",
    `This caller has used its share of the store, and the rest is kept for others ` +
      `(limit for all callers: ${maxEntries} ${noun}, ${maxBytes} bytes). Raise \`${option}\` or \`maxTotalBytes\`.`,
  );
}

interface FullStore {
  /** Plural noun for the entries, such as `keys`. */
  readonly noun: string;
  /** Name of the user's option that sets `maxEntries`. */
  readonly option: string;
  readonly maxEntries: number;
  readonly maxBytes: number;
}
