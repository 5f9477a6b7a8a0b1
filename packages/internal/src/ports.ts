/**
 * @fileoverview Access to time, timers, randomness and Web Crypto. Everything below a transport gets them from here, so
 * it stays pure and tests can replace the clock.
 * @module internal/ports
 */
import type { Bytes } from "./bytes.js";

/** System functions that the pure layers need. */
export interface Ports {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Runs `task` once after `ms`. The returned function cancels it.
   *
   * @param background true for a timer that must not keep the process running
   */
  readonly startTimer: (task: () => void, ms: number, background?: boolean) => () => void;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (length: number) => Bytes;
  /** Web Crypto's asynchronous primitives. */
  readonly subtle: SubtleCrypto;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;

/**
 * Ports on the web-standard globals that Node, Bun, Deno and Workers share. They are read when used, never at import.
 */
export const systemPorts: Ports = {
  now: () => Date.now(),
  startTimer(task, ms, background = false) {
    const timer: unknown = setTimeout(task, ms);
    if (background && hasUnref(timer)) timer.unref();
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  },
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  get subtle() {
    return globalThis.crypto.subtle;
  },
};

/** Returns the system's ports with some of them replaced. Web Crypto takes milliseconds to load, so it stays lazy. */
export function withPorts(replaced: Partial<Ports> = {}): Ports {
  return {
    now: replaced.now ?? systemPorts.now,
    startTimer: replaced.startTimer ?? systemPorts.startTimer,
    randomBytes: replaced.randomBytes ?? systemPorts.randomBytes,
    get subtle() {
      return replaced.subtle ?? systemPorts.subtle;
    },
  };
}

/** Checks that a timer is one of Node's objects. Browsers return a number, which has no `unref` and needs none. */
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
