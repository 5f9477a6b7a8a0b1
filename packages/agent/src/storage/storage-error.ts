/**
 * @fileoverview What could not be kept or read, in words that a client may be told.
 * @module agent/storage/storage-error
 */

/** A failure of the storage. The message names no path and is fit for a client; the cause is for the operator. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

/**
 * The error for a failure of the file system.
 *
 * @param what that did not happen, as a sentence without its end
 */
export function toStorageError(what: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const advice = ADVICE.find(([codes]) => codes.includes(errorCode(cause) ?? ""))?.[1] ?? "try again later";
  return new StorageError(`${what}: ${advice}`, { cause });
}

/** The name that the system gives a failure, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What to do about the failures that somebody can do something about. */
const ADVICE: readonly (readonly [codes: readonly string[], advice: string])[] = [
  [["ENOSPC", "EDQUOT", "EFBIG"], "the server's disk is full; its operator must free some space"],
  [
    ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "ELOOP"],
    "the server cannot use its storage folder; its operator must make it writable or set another storagePath",
  ],
  [["EMFILE", "ENFILE"], "the server has too many files open; try again later"],
];
