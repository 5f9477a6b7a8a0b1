/**
 * @fileoverview Lock between processes: a file that exists while its owner runs a task. The owner renews the file's
 * time, so that other processes can tell if it still runs.
 * @module oauth/file-lock
 */
import { codeOf } from "@tenon/internal/thrown";
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { systemPorts } from "@tenon/internal/ports";

/** Time in milliseconds between two renewals. */
const RENEW_MS = 2_000;
/** Time in milliseconds after which a file that was not renewed counts as abandoned. */
const ABANDONED_MS = 15_000;
/** Shortest and longest time in milliseconds between two attempts. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/**
 * Runs a task while this process owns the lock file. Waits until no other process owns it.
 *
 * @throws the signal's reason if it aborts before the task starts
 */
export async function withFileLock<T>(
  path: string,
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const own = randomUUID();
  let pauseMs = MIN_PAUSE_MS;
  signal?.throwIfAborted();
  while (!(await createFile(path, own))) {
    await removeAbandoned(path);
    await pause(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
  const stopRenewing = keepRenewing(path);
  try {
    return await task();
  } finally {
    stopRenewing();
    await release(path, own);
  }
}

/** Creates a file. Returns false if it exists. Missing folders are created, accessible only to their owner. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(text).finally(() => file.close());
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return false;
}

/** Removes the file of a process that ended while it owned the lock. */
async function removeAbandoned(path: string): Promise<void> {
  if (!(await isAbandoned(path))) return;
  // Only one process at a time removes the file. Otherwise, a second one could remove the file of the next owner.
  const right = `${path}.takeover`;
  if (await isAbandoned(right)) await rm(right, { force: true });
  if (!(await createFile(right, ""))) return;
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(right, { force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return systemPorts.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Renews the file's time until the returned function is called. */
function keepRenewing(path: string): () => void {
  let stopTimer = () => {};
  const start = () => {
    stopTimer = systemPorts.startTimer(
      () => {
        const now = new Date(systemPorts.now());
        // A failure may be temporary. If it lasts, another process takes over the lock.
        utimes(path, now, now).catch(() => undefined);
        start();
      },
      RENEW_MS,
      true,
    );
  };
  start();
  return () => stopTimer();
}

/** Removes the file, unless another process has taken over the lock. */
async function release(path: string, own: string): Promise<void> {
  const held = await readFile(path, "utf8").catch(() => undefined);
  if (held === own) await rm(path, { force: true });
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      stopTimer();
      reject(signal?.reason);
    };
    const stopTimer = systemPorts.startTimer(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
