/**
 * @fileoverview Storage errors. Their messages are safe to send to clients.
 * @module agent/storage/storage-error
 */
import { toFileError } from "@tenon/internal/files/file-error";
import { codeOf } from "@tenon/internal/thrown";

/** Storage failure. The message contains no paths and is safe for clients. `cause` is for the operator's log. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

/**
 * Converts a file system error to a `StorageError`. A `StorageError` is returned unchanged.
 *
 * @param what description of the failed operation: a sentence without a period
 * @param path file or folder for the operator's log, because the system's error for a full disk names none
 */
export function toStorageError(what: string, cause: unknown, path?: string): StorageError {
  if (cause instanceof StorageError) return cause;
  const advice = ADVICE.find(([codes]) => codes.includes(codeOf(cause)))?.[1];
  return new StorageError(advice === undefined ? `${what}. Try again later.` : `${what}: ${advice}`, {
    cause: path === undefined ? cause : toFileError("write to", path, cause),
  });
}

/** Waits for work, and converts its error to a `StorageError`. @param what description of the work, as above */
export function orStorageError<T>(what: string, work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw toStorageError(what, cause);
  });
}

/** Reason and advice by system error code. */
const ADVICE: readonly (readonly [codes: readonly unknown[], advice: string])[] = [
  [["ENOSPC", "EDQUOT", "EFBIG"], "the server's disk is full. Ask the operator to free disk space."],
  [
    ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "ELOOP"],
    "the server cannot write to its storage folder. Ask the operator to make it writable or to change `storagePath`.",
  ],
  [["EMFILE", "ENFILE"], "the server has too many open files. Try again later."],
];
