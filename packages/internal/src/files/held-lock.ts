/**
 * @fileoverview Lock between processes, for as long as one of them needs it. It is renewed while it is held, so that
 * processes on other hosts can tell if its holder still exists.
 * @module internal/files/held-lock
 */
import { rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { systemPorts } from "../ports.js";
import { acquireFile, createFile, type LockHolder, readText } from "./lock-file.js";

/** Options for a lock. */
export interface LockOptions {
  /** Called once if another process takes over the lock. */
  readonly onLost?: () => void;
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

/** Outcome of an attempt to lock: the lock, or the process that holds it. */
export type LockAttempt =
  { readonly ok: true; readonly lock: HeldLock } | { readonly ok: false; readonly holder: LockHolder };

/** Creates a lock file, unless a process that still exists holds the lock. @throws if its folder does not exist */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<LockAttempt> {
  const { host = hostname(), abandonedMs = 30_000 } = options;
  const acquired = await acquireFile({ path, host, abandonedMs });
  return acquired.ok ? { ok: true, lock: new HeldLock(path, acquired.text, options) } : acquired;
}

/** Lock that this process holds. */
export class HeldLock {
  readonly #path: string;
  readonly #text: string;
  readonly #renewMs: number;
  readonly #onLost: () => void;
  #renewedAt = systemPorts.now();
  #renewing: Promise<boolean> | undefined;
  #stopTimer: () => void = () => undefined;
  #isLost = false;
  #isReleased = false;

  constructor(path: string, text: string, { renewMs = 5_000, onLost = () => undefined }: LockOptions) {
    this.#path = path;
    this.#text = text;
    this.#renewMs = renewMs;
    this.#onLost = onLost;
    this.#startTimer();
  }

  /** Returns false if another process has taken over the lock. Trusts a recent renewal instead of reading the file. */
  async isHeld(): Promise<boolean> {
    // A process that was suspended may have lost the lock in the meantime.
    const isRecent = systemPorts.now() - this.#renewedAt <= 2 * this.#renewMs;
    return !this.#isLost && (isRecent || (await this.renew()));
  }

  /** Reads the file and renews it. Returns false if another process has taken over the lock. */
  renew(): Promise<boolean> {
    return (this.#renewing ??= this.#touch().finally(() => {
      this.#renewing = undefined;
    }));
  }

  /** Releases the lock. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopTimer();
    await this.#renewing?.catch(() => undefined);
    if ((await readText(this.#path)) === this.#text) await rm(this.#path, { force: true });
  }

  #startTimer(): void {
    const renew = async () => {
      // A failure may be temporary. If it lasts, `isHeld` fails too.
      await this.renew().catch(() => undefined);
      if (!this.#isReleased && !this.#isLost) this.#startTimer();
    };
    this.#stopTimer = systemPorts.startTimer(() => void renew(), this.#renewMs, true);
  }

  async #touch(): Promise<boolean> {
    if (this.#isLost) return false;
    const held = await readText(this.#path);
    if (held !== this.#text && !(held === undefined && (await createFile(this.#path, this.#text)))) {
      this.#isLost = true;
      this.#onLost();
      return false;
    }
    const now = systemPorts.now();
    await utimes(this.#path, new Date(now), new Date(now));
    this.#renewedAt = now;
    return true;
  }
}
