/**
 * @fileoverview In-memory fixed-window counters. They are synchronous, use no timers, and are limited in number.
 * @module app/limits/memory-rate-limit-store
 */
import type { Ports } from "@tenon/internal/ports";
import { systemPorts } from "@tenon/internal/ports";
import type { RateLimitOutcome, RateLimitRule, RateLimitStore } from "./rate-limit-store.js";

/** Options for `createMemoryRateLimitStore`. */
export interface MemoryRateLimitStoreOptions {
  /**
   * Maximum number of keys to store. When it is reached, a window is evicted for each new key.
   * @default 10000
   */
  readonly maxKeys?: number;
  /** Clock, for tests. */
  readonly ports?: Pick<Ports, "now">;
}

/** In-memory store. Its methods are synchronous, and its counters are lost when the process exits. */
export interface MemoryRateLimitStore extends RateLimitStore {
  /** Number of stored keys. */
  readonly size: number;
  consume(key: string, points: number, rule: RateLimitRule): RateLimitOutcome;
  peek(key: string, rule: RateLimitRule): RateLimitOutcome | undefined;
  reset(key?: string): void;
}

interface Window {
  readonly key: string;
  count: number;
  endsAt: number;
  ring: Ring;
  slot: number;
}

/** Number of windows per ring to check for expiry when a key is added. With two, the store shrinks over time. */
const SWEEP = 2;

/**
 * Creates an in-memory store. When it is full, it evicts windows that have used less than half of their limit first,
 * and other windows only if none of those are left. A client that floods the store with new keys therefore evicts its
 * own keys, not the counters that limit it.
 *
 * @throws if `maxKeys` is not a positive integer
 */
export function createMemoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): MemoryRateLimitStore {
  const { maxKeys = 10_000, ports = systemPorts } = options;
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
    throw new Error(`\`maxKeys\` must be a positive integer; got ${String(maxKeys)}.`);
  }
  const windows = new Windows(maxKeys);

  return {
    get size() {
      return windows.size;
    },
    consume(key, points, { limit, windowMs }) {
      const now = ports.now();
      const window = windows.get(key) ?? windows.open(key, now + windowMs, now);
      if (window.endsAt <= now) {
        window.count = 0;
        window.endsAt = now + windowMs;
      }
      const allowed = window.count + points <= limit;
      if (allowed) window.count += points;
      windows.place(window, window.count * 2 < limit);
      return { allowed, remaining: Math.max(limit - window.count, 0), resetMs: window.endsAt - now };
    },
    peek(key, { limit }) {
      const window = windows.get(key);
      const now = ports.now();
      if (window === undefined || window.endsAt <= now) return undefined;
      const remaining = Math.max(limit - window.count, 0);
      return { allowed: remaining > 0, remaining, resetMs: window.endsAt - now };
    },
    reset(key) {
      if (key === undefined) windows.clear();
      else windows.drop(windows.get(key));
    },
  };
}

/** Up to `maxKeys` windows. Light windows have used less than half of their limit; all others are heavy. */
class Windows {
  readonly #byKey = new Map<string, Window>();
  readonly #light = new Ring();
  readonly #heavy = new Ring();
  readonly #maxKeys: number;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Window | undefined {
    return this.#byKey.get(key);
  }

  /** Opens a window. Evicts another window if the store is full. */
  open(key: string, endsAt: number, now: number): Window {
    this.#sweep(this.#light, now);
    this.#sweep(this.#heavy, now);
    if (this.size >= this.#maxKeys) this.drop(this.#light.next() ?? this.#heavy.next());
    const window: Window = { key, count: 0, endsAt, ring: this.#light, slot: 0 };
    this.#light.add(window);
    this.#byKey.set(key, window);
    return window;
  }

  /** Moves a window to the ring for its current usage. */
  place(window: Window, isLight: boolean): void {
    const ring = isLight ? this.#light : this.#heavy;
    if (window.ring === ring) return;
    window.ring.remove(window);
    ring.add(window);
  }

  drop(window: Window | undefined): void {
    if (window === undefined) return;
    window.ring.remove(window);
    this.#byKey.delete(window.key);
  }

  clear(): void {
    this.#byKey.clear();
    this.#light.clear();
    this.#heavy.clear();
  }

  #sweep(ring: Ring, now: number): void {
    for (let step = 0; step < SWEEP; step++) {
      const window = ring.next();
      if (window !== undefined && window.endsAt <= now) this.drop(window);
    }
  }
}

/** Unordered collection of windows, visited in rotation. */
class Ring {
  readonly #windows: Window[] = [];
  #hand = 0;

  add(window: Window): void {
    window.ring = this;
    window.slot = this.#windows.length;
    this.#windows.push(window);
  }

  /** Removes a window. The last window takes its slot. */
  remove(window: Window): void {
    const last = this.#windows.pop();
    if (last === undefined || last === window) return;
    last.slot = window.slot;
    this.#windows[last.slot] = last;
  }

  next(): Window | undefined {
    this.#hand = this.#hand + 1 < this.#windows.length ? this.#hand + 1 : 0;
    return this.#windows[this.#hand];
  }

  clear(): void {
    this.#windows.length = 0;
  }
}
