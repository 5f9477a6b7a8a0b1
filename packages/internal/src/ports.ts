/**
 * @fileoverview The one door to time, timers, randomness and Web Crypto, so that everything below a
 * transport stays pure and a test can put its own clock in.
 * @module internal/ports
 */
import type { Bytes } from "./bytes.js";

/** What the pure layers need from the world. */
export interface Ports {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Runs `task` once after `ms`; the function returned cancels it.
   *
   * @param background a timer that must not keep the program running by itself
   */
  readonly startTimer: (task: () => void, ms: number, background?: boolean) => () => void;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (length: number) => Bytes;
  /** Web Crypto's asynchronous primitives. */
  readonly subtle: SubtleCrypto;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;

/** The web-standard globals that Node, Bun, Deno and Workers share. They are read when used, never at import. */
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

/** The system's ports with some of them replaced. Web Crypto takes milliseconds to load, so it is not touched here. */
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

/** Node's timers can be told not to keep it running; a number, as on the web, cannot and need not. */
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
