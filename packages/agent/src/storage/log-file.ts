/**
 * @fileoverview File access for task logs. Symbolic links are never followed, either for a task's folder or for its log
 * file.
 * @module agent/storage/log-file
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "@tenon/internal/thrown";

/** Log file that is open for writing. */
export interface LogFile {
  size(): Promise<number>;
  /** Writes all bytes, starting at `position`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when the written data is on disk and will survive power loss. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens an existing log for writing. */
export type OpenLogFile = (path: string) => Promise<LogFile>;

/** Name of the log file in a task's folder. */
export const LOG_NAME = "log.jsonl";

/** Returns the path of a task's log. The caller must validate the task ID. */
export function logPath(folder: string, taskId: string): string {
  return join(folder, taskId, LOG_NAME);
}

/** Returns true if an error means that a file does not exist or is a symbolic link. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.includes(codeOf(error));
}

/** Passes a file in a task's folder to a function. Returns `undefined` if it does not exist or is not a regular file. */
export async function readTaskFile<T>(
  path: string,
  read: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  try {
    if (!(await lstat(dirname(path))).isDirectory()) return undefined;
    const handle = await openRegularFile(path);
    if (handle === undefined) return undefined;
    try {
      return await read(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Creates a file. Resolves when its content is on disk. */
export async function writeNewFile(path: string, content: readonly Uint8Array[]): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    for (const bytes of content) await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a regular file for reading. Returns `undefined` for anything else, such as links, pipes, and devices, without
 * opening it.
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  if (!(await lstat(path)).isFile()) return undefined;
  return open(path, constants.O_RDONLY | CAREFULLY);
}

/** Opens an existing log on disk for writing. */
export const openLogFile: OpenLogFile = async (path) =>
  toLogFile(await open(path, constants.O_RDWR | CAREFULLY));

/** Opens a log on disk for writing, and creates it if it does not exist. */
export const openOrCreateLogFile: OpenLogFile = async (path) =>
  toLogFile(await open(path, constants.O_RDWR | constants.O_CREAT | CAREFULLY, 0o600));

function toLogFile(handle: FileHandle): LogFile {
  return {
    size: async () => (await handle.stat()).size,
    async write(bytes, position) {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}

/** Syncs a folder's entries. Does nothing on systems that cannot sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.includes(codeOf(error))) throw error;
  }
}

/** Resolves to true if a path exists. Links are not followed. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK"];

const CANNOT_SYNC: readonly unknown[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"];

/**
 * Flags for `open` that protect against a file being replaced after the check: links are not followed, and pipes do not
 * block. Windows does not support these flags.
 */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
