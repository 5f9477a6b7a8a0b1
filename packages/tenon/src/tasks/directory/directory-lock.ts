/**
 * @fileoverview Lock that prevents two processes, or two servers of one process, from using one directory.
 * @module tenon/tasks/directory/directory-lock
 */
import { resolve } from "node:path";
import { acquireLock, type LockOptions } from "@tenon/internal/files/held-lock";
import { type LockHolder, nameHolder } from "@tenon/internal/files/lock-file";

/** Options for the lock of a directory. */
export interface DirectoryLockOptions extends Omit<LockOptions, "onLost"> {
  /** Called once if another process takes the directory over. */
  readonly onLost?: (error: Error) => void;
}

/** Lock of a directory. */
export interface DirectoryLock {
  /** Resolves if the directory still belongs to this lock. @throws if another process has taken it over */
  confirm(): Promise<void>;
  /** Releases the directory. */
  release(): Promise<void>;
}

/** Locks a directory. @throws if another process or server uses it */
export async function lockDirectory(
  directory: string,
  options: DirectoryLockOptions = {},
): Promise<DirectoryLock> {
  const attempt = await acquireLock(resolve(directory, "lock"), {
    ...options,
    onLost: () => options.onLost?.(takenOver(directory)),
  });
  if (!attempt.ok) throw inUse(directory, attempt.holder);
  const { lock } = attempt;
  return {
    async confirm() {
      if (!(await lock.isHeld())) throw takenOver(directory);
    },
    release: () => lock.release(),
  };
}

function takenOver(directory: string): Error {
  return new Error(
    `Another process has taken over the task directory "${directory}". ` +
      "This process no longer stores tasks. Stop one of the two processes, or use a different directory.",
  );
}

function inUse(directory: string, holder: LockHolder): Error {
  const { pid, host, leftMs } = holder;
  const isOwn = pid === process.pid && host === undefined;
  const owner = isOwn ? "another server in this process" : nameHolder(holder);
  const advice = isOwn ? SHARE_ENGINE : leftMs === undefined ? STOP_PROCESS : waitFor(leftMs);
  return new Error(
    `The task directory "${directory}" is in use by ${owner}. Use a different directory, or ${advice}`,
  );
}

const SHARE_ENGINE = "create one engine with `createTaskEngine()` and pass it to both servers.";

const STOP_PROCESS = "stop that process. If it does not exist, delete the file `lock`.";

function waitFor(leftMs: number): string {
  return `stop that process. If it has ended, the directory can be used in ${Math.ceil(leftMs / 1_000)} seconds.`;
}
