/**
 * @fileoverview Storage failures, with messages that can be sent to clients.
 * @module agent/storage/storage-error
 */

/** A storage failure. The message contains no paths and can be sent to clients. The cause is for the operator. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

/**
 * Creates the error for a failure of the file system.
 *
 * @param what the failed operation, as a sentence without its period
 */
export function toStorageError(what: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const advice = ADVICE.find(([codes]) => codes.includes(errorCode(cause) ?? ""))?.[1] ?? "try again later";
  return new StorageError(`${what}: ${advice}.`, { cause });
}

/** Returns the system's error code, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Advice for failures that the operator can fix. */
const ADVICE: readonly (readonly [codes: readonly string[], advice: string])[] = [
  [["ENOSPC", "EDQUOT", "EFBIG"], "the server's disk is full; its operator must free some space"],
  [
    ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "ELOOP"],
    "the server cannot use its storage folder; its operator must make it writable or set another storagePath",
  ],
  [["EMFILE", "ENFILE"], "the server has too many files open; try again later"],
];
