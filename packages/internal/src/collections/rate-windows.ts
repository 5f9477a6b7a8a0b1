/**
 * @fileoverview Fixed-window counters for rate limits. They use no timers, and their number is limited.
 * @module internal/collections/rate-windows
 */

/** Result of one attempt. */
export interface WindowOutcome {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

/** Points of one attempt, and the rule that applies to it. */
export interface Attempt {
  readonly points: number;
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counters by key. When there are `maxKeys` of them, a new key evicts a window that has used less than half of its
 * limit, and other windows only if none of those are left. A client that floods the counters with new keys therefore
 * evicts its own keys, not the counters that limit it.
 */
export class RateWindows {
  readonly #windows: Windows;

  constructor(maxKeys: number) {
    this.#windows = new Windows(maxKeys);
  }

  /** Number of stored keys. */
  get size(): number {
    return this.#windows.size;
  }

  /** Consumes points, and opens a window if necessary. */
  consume(key: string, { points, limit, windowMs }: Attempt, now: number): WindowOutcome {
    const windows = this.#windows;
    const window = windows.get(key) ?? windows.open(key, now + windowMs, now);
    if (window.endsAt <= now) {
      window.count = 0;
      window.endsAt = now + windowMs;
    }
    const allowed = window.count + points <= limit;
    if (allowed) window.count += points;
    windows.place(window, window.count * 2 < limit);
    return { allowed, remaining: Math.max(limit - window.count, 0), resetMs: window.endsAt - now };
  }

  /** Returns the state of a key, or `undefined` if no window is open. */
  peek(key: string, limit: number, now: number): WindowOutcome | undefined {
    const window = this.#windows.get(key);
    if (window === undefined || window.endsAt <= now) return undefined;
    const remaining = Math.max(limit - window.count, 0);
    return { allowed: remaining > 0, remaining, resetMs: window.endsAt - now };
  }

  /** Deletes the counter of a key. */
  delete(key: string): void {
    this.#windows.drop(this.#windows.get(key));
  }

  /** Deletes all counters. */
  clear(): void {
    this.#windows.clear();
  }
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
