/**
 * @fileoverview The file behind a task's log: where it lies, and the few things that are done with it. Links are not
 * followed, neither to a task's folder nor to its file.
 * @module agent/storage/log-file
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./storage-error.js";

/** A file that is open for writing. */
export interface LogFile {
  size(): Promise<number>;
  /** Writes all of it, or rejects. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when all that was written would survive a loss of power. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a log that exists for writing. */
export type OpenLogFile = (path: string) => Promise<LogFile>;

/** The name of the log in the folder of its task. */
export const LOG_NAME = "log.jsonl";

/** The log of a task whose name was checked. */
export function logPath(folder: string, taskId: string): string {
  return join(folder, taskId, LOG_NAME);
}

/** Whether something is not there, or is something else than was looked for. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.includes(errorCode(error) ?? "");
}

/** Opens the log of a task for reading, or gives `undefined` where there is none. */
export async function openForReading(folder: string, taskId: string): Promise<FileHandle | undefined> {
  try {
    if (!(await lstat(join(folder, taskId))).isDirectory()) return undefined;
    return await openRegularFile(logPath(folder, taskId));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Opens a file for reading; `undefined` for links, pipes and devices, which are told before they are opened. */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  if (!(await lstat(path)).isFile()) return undefined;
  return open(path, constants.O_RDONLY | CAREFULLY);
}

/** Opens a log for writing, as the file system does it. */
export const openLogFile: OpenLogFile = async (path) => {
  const handle = await open(path, constants.O_RDWR | CAREFULLY);
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
};

const ABSENT: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK"];

/** A link that was put there meanwhile is not followed, a pipe does not block. Windows has neither bit. */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
