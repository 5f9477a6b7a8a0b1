/**
 * @fileoverview Access to time, timers, randomness, and Web Crypto. The layers below the transports use only these
 * ports, so they stay pure and tests can replace the clock.
 * @module internal/ports
 */
import type { Bytes } from "./bytes.js";

/** System functions that the pure layers use. */
export interface Ports {
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Runs `task` once, after `ms` milliseconds, or in the next turn of the event loop if `ms` is 0. Returns a function
   * that cancels the timer.
   *
   * @param background true for a timer that must not keep the process running
   */
  readonly startTimer: (task: () => void, ms: number, background?: boolean) => () => void;
  /** Returns cryptographically strong random bytes. */
  readonly randomBytes: (length: number) => Bytes;
  /** Web Crypto's asynchronous primitives. */
  readonly subtle: SubtleCrypto;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;

/**
 * Ports backed by the web-standard globals that Node.js, Bun, Deno, and Workers share. The globals are read on use,
 * never at import.
 */
export const systemPorts: Ports = {
  now: () => Date.now(),
  startTimer(task, ms, background = false) {
    // `setTimeout` waits for at least one millisecond.
    if (ms === 0 && typeof setImmediate === "function" && !background) {
      const immediate = setImmediate(task);
      return () => clearImmediate(immediate);
    }
    const timer: unknown = setTimeout(task, ms);
    if (background && hasUnref(timer)) timer.unref();
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  },
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  get subtle() {
    return globalThis.crypto.subtle;
  },
};

/** Returns the system ports with some of them replaced. Web Crypto takes milliseconds to load, so it is read on use. */
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

/**
 * Returns true for a timer object with `unref`, as in Node.js. In browsers, a timer is a number and does not need
 * `unref`.
 */
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}

/** Part of `node:crypto` that encrypts in this thread. */
export interface NodeCiphers {
  createCipheriv(...args: CipherArguments): NodeCipher & { getAuthTag(): Uint8Array };
  createDecipheriv(...args: CipherArguments): NodeCipher & { setAuthTag(tag: Uint8Array): unknown };
}

type CipherArguments = [
  algorithm: "aes-256-gcm",
  key: Uint8Array,
  iv: Uint8Array,
  options: { readonly authTagLength: number },
];

interface NodeCipher {
  setAAD(bytes: Uint8Array): unknown;
  update(bytes: Uint8Array): Uint8Array;
  /** @throws if the bytes were altered */
  final(): unknown;
}

/** Returns `node:crypto` without an import, which runtimes other than Node.js may not be able to resolve. */
export function findNodeCiphers(): NodeCiphers | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.("node:crypto") as NodeCiphers | undefined; // Safe: the module has these members
}
