/**
 * @fileoverview Counters of fixed windows in this process: synchronous, without timers, and never more than so many.
 * @module app/limits/memory-rate-limit-store
 */
import type { Ports } from "@tenon/internal/ports";
import { systemPorts } from "@tenon/internal/ports";
import type { RateLimitOutcome, RateLimitRule, RateLimitStore } from "./rate-limit-store.js";

/** The bound of a store in memory. */
export interface MemoryRateLimitStoreOptions {
  /**
   * Most keys at once.
   * @default 10000
   */
  readonly maxKeys?: number;
  /** The clock, for tests. */
  readonly ports?: Pick<Ports, "now">;
}

/** A store that answers at once. */
export interface MemoryRateLimitStore extends RateLimitStore {
  /** How many keys it holds. */
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

/** How many windows a new key looks at to let go of those that are over: two out for one in empties the store in time. */
const SWEEP = 2;

/**
 * Counters in this process. When there are too many, room is made by windows that are over, then by those that have used
 * up less than half of their limit, and by others only if there is none of these. So whoever floods the store with new
 * keys pushes out those same new keys, and not the counters that hold him back: for that he would have to use up half a
 * limit under as many keys as the store holds.
 */
export function createMemoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): MemoryRateLimitStore {
  const { maxKeys = 10_000, ports = systemPorts } = options;
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
    throw new Error("maxKeys must be a whole number of 1 or more");
  }
  const byKey = new Map<string, Window>();
  const light = new Ring();
  const heavy = new Ring();

  const drop = (window: Window | undefined) => {
    if (window === undefined) return;
    window.ring.remove(window);
    byKey.delete(window.key);
  };
  const open = (key: string, endsAt: number, now: number): Window => {
    for (const ring of [light, heavy]) {
      for (let step = 0; step < SWEEP; step++) {
        const window = ring.next();
        if (window !== undefined && window.endsAt <= now) drop(window);
      }
    }
    if (byKey.size >= maxKeys) drop(light.next() ?? heavy.next());
    const window: Window = { key, count: 0, endsAt, ring: light, slot: 0 };
    light.add(window);
    byKey.set(key, window);
    return window;
  };

  return {
    get size() {
      return byKey.size;
    },
    consume(key, points, { limit, windowMs }) {
      const now = ports.now();
      const window = byKey.get(key) ?? open(key, now + windowMs, now);
      if (window.endsAt <= now) {
        window.count = 0;
        window.endsAt = now + windowMs;
      }
      const allowed = window.count + points <= limit;
      if (allowed) window.count += points;
      const ring = window.count * 2 < limit ? light : heavy;
      if (window.ring !== ring) {
        window.ring.remove(window);
        ring.add(window);
      }
      return { allowed, remaining: Math.max(limit - window.count, 0), resetMs: window.endsAt - now };
    },
    peek(key, { limit }) {
      const window = byKey.get(key);
      const now = ports.now();
      if (window === undefined || window.endsAt <= now) return undefined;
      const remaining = Math.max(limit - window.count, 0);
      return { allowed: remaining > 0, remaining, resetMs: window.endsAt - now };
    },
    reset(key) {
      if (key === undefined) {
        byKey.clear();
        light.clear();
        heavy.clear();
      } else drop(byKey.get(key));
    },
  };
}

/** Windows in no particular order, which are looked at in turn. */
class Ring {
  readonly #windows: Window[] = [];
  #hand = 0;

  add(window: Window): void {
    window.ring = this;
    window.slot = this.#windows.length;
    this.#windows.push(window);
  }

  /** The last one takes the place that becomes free. */
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
