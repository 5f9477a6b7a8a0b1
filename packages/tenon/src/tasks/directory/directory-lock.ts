/**
 * @fileoverview Lock that prevents two processes from using one directory. It is renewed while it is held, so that
 * processes on other hosts can tell if its owner still exists.
 * @module tasks/directory/directory-lock
 */
import { rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { acquireFile, createFile, inUse, readText } from "./lock-file.js";

/** Options for a lock. */
export interface LockOptions {
  /** Called once if another process takes the directory over. */
  readonly onLost?: (error: Error) => void;
  /**
   * Name of this host.
   * @default the name that the system provides
   */
  readonly host?: string;
  /**
   * Time in milliseconds between two renewals.
   * @default 5000
   */
  readonly renewMs?: number;
  /**
   * Time in milliseconds after which a lock of another host that was not renewed is taken over.
   * @default 30000
   */
  readonly abandonedMs?: number;
}

/** Lock of a directory. */
export interface DirectoryLock {
  /** Resolves if the directory still belongs to this lock. @throws if another process has taken it over */
  confirm(): Promise<void>;
  /** Releases the directory. */
  release(): Promise<void>;
}

/** Directories that this process has locked. A process ID alone cannot tell this process from an earlier one. */
const ownLocks = new Set<string>();

/** Locks a directory. @throws if another process or server uses it */
export async function lockDirectory(directory: string, options: LockOptions = {}): Promise<DirectoryLock> {
  const path = resolve(directory, "lock");
  if (ownLocks.has(path)) throw inUse(directory, "another server in this process", SHARE_ENGINE);
  ownLocks.add(path);
  try {
    const { host = hostname(), abandonedMs = 30_000 } = options;
    const text = await acquireFile({ path, directory, host, abandonedMs });
    return new HeldLock({ path, directory, text }, options);
  } catch (error) {
    ownLocks.delete(path);
    throw error;
  }
}

const SHARE_ENGINE =
  "Use a different directory, or create one engine with `createTaskEngine()` and pass it to both servers.";

interface HeldFile {
  readonly path: string;
  readonly directory: string;
  readonly text: string;
}

class HeldLock implements DirectoryLock {
  readonly #file: HeldFile;
  readonly #renewMs: number;
  readonly #onLost: (error: Error) => void;
  #renewedAt = systemPorts.now();
  #renewing: Promise<void> | undefined;
  #stopTimer: () => void = () => undefined;
  #lost: Error | undefined;
  #isReleased = false;

  constructor(file: HeldFile, { renewMs = 5_000, onLost = () => undefined }: LockOptions) {
    this.#file = file;
    this.#renewMs = renewMs;
    this.#onLost = onLost;
    this.#startTimer();
  }

  async confirm(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    // A process that was suspended may have lost the lock in the meantime.
    if (systemPorts.now() - this.#renewedAt > 2 * this.#renewMs) await this.#renew();
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopTimer();
    await this.#renewing?.catch(() => undefined);
    const { path, text } = this.#file;
    try {
      if ((await readText(path)) === text) await rm(path, { force: true });
    } finally {
      ownLocks.delete(path);
    }
  }

  #startTimer(): void {
    const renew = async () => {
      // A failure may be temporary. Writes fail if it lasts.
      await this.#renew().catch(() => undefined);
      if (!this.#isReleased && this.#lost === undefined) this.#startTimer();
    };
    this.#stopTimer = systemPorts.startTimer(() => void renew(), this.#renewMs, true);
  }

  #renew(): Promise<void> {
    return (this.#renewing ??= this.#touch().finally(() => {
      this.#renewing = undefined;
    }));
  }

  async #touch(): Promise<void> {
    const { path, directory, text } = this.#file;
    const held = await readText(path);
    const isOwn = held === text || (held === undefined && (await createFile(path, text)));
    if (!isOwn) {
      this.#lost = new Error(
        `Another process has taken over the task directory "${directory}". ` +
          "This process no longer stores tasks. Stop one of the two processes, or use a different directory.",
      );
      this.#onLost(this.#lost);
      throw this.#lost;
    }
    const now = systemPorts.now();
    await utimes(path, new Date(now), new Date(now));
    this.#renewedAt = now;
  }
}
