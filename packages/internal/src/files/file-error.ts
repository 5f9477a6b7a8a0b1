/**
 * @fileoverview Errors for files that cannot be read or written. The system's errors for a full disk name no file.
 * @module internal/files/file-error
 */
import { codeOf } from "../thrown.js";

/** Returns the reason of a file system's error, such as `the disk is full`. Returns `undefined` for other errors. */
export function fileReasonOf(error: unknown): string | undefined {
  return REASONS[String(codeOf(error))];
}

/**
 * Creates an error that names the file and the reason. Other errors than those of a file system are returned unchanged.
 *
 * @param task what could not be done, without the path: `write the token file`
 */
export function toFileError(task: string, path: string, error: unknown): unknown {
  const reason = fileReasonOf(error);
  return reason === undefined
    ? error
    : new Error(`Could not ${task} "${path}": ${reason}.`, { cause: error });
}

/** Explanations for the errors that users and operators can fix. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file would be too large",
  ENOENT: "it or its folder does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "too many symbolic links",
  EBUSY: "another program uses the file",
  ENAMETOOLONG: "the path is too long",
};
