/**
 * @fileoverview Short tasks that only one process may run at a time.
 * @module internal/files/with-lock
 */
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemPorts } from "../ports.js";
import { toFileError } from "./file-error.js";
import { acquireLock, type HeldLock, type LockOptions } from "./held-lock.js";
import { nameHolder } from "./lock-file.js";
import { makeFolder } from "./make-folder.js";

/** Options for `withLock`. */
export interface WithLockOptions extends LockOptions {
  /**
   * Maximum time in milliseconds to wait for the lock.
   * @default 60000
   */
  readonly waitMs?: number;
  /** Stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Task that runs while this process holds a lock. `confirm` throws if another process has taken over the lock. */
export type LockedTask<T> = (confirm: () => Promise<void>) => Promise<T>;

/**
 * Runs a task while this process holds a lock file. Waits until no other task holds it, in this process or another one.
 * Missing folders are created, accessible only to their owner. A task that writes calls `confirm` directly before.
 *
 * @throws if the lock is not free in time, or the signal's reason if it aborts before the task starts
 */
export async function withLock<T>(
  path: string,
  task: LockedTask<T>,
  options: WithLockOptions = {},
): Promise<T> {
  const lock = await waitForLock(path, options).catch((error: unknown) => {
    throw toFileError("create the lock file", path, error);
  });
  const confirm = async () => {
    if (await lock.renew()) return;
    throw new Error(
      `Another process has taken over the lock file "${path}", because this one did not respond for too long. ` +
        "Nothing was written. Try again.",
    );
  };
  try {
    return await task(confirm);
  } finally {
    await lock.release();
  }
}

/** Shortest and longest time in milliseconds between two attempts. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

async function waitForLock(path: string, options: WithLockOptions): Promise<HeldLock> {
  const { waitMs = 60_000, signal } = options;
  await makeFolder(dirname(path), 0o700);
  const deadline = systemPorts.now() + waitMs;
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal?.throwIfAborted();
    const attempt = await acquireLock(path, options);
    if (attempt.ok) return attempt.lock;
    if (systemPorts.now() >= deadline) {
      throw new Error(
        `The lock file "${path}" still belongs to ${nameHolder(attempt.holder)} after ${waitMs / 1_000} seconds. ` +
          "Stop that process, or delete the file if the process does not exist.",
      );
    }
    // The loop throws the reason of an aborted signal.
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
