/**
 * @fileoverview Settings of the user that survive a reload: sizes, filters, expanded groups, and drafts. They are kept for
 * the tab, so two tabs do not disturb each other.
 * @module cli/page-app/state/memory
 */
import { effect, type Signal, signal } from "@preact/signals";
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Timer } from "@tenon/ui/support/timer.js";

/** Part of `Storage` that the memory needs. */
export type MemoryStorage = Pick<Storage, "getItem" | "setItem">;

/** Setting with its value before the user has changed it. */
export interface Setting<T> {
  readonly key: string;
  readonly initial: T;
  /** Returns the stored value, or `undefined` if it is not valid. */
  readonly parse: (value: unknown) => T | undefined;
}

/** Options of `Memory`. */
export interface MemoryOptions {
  readonly storage: MemoryStorage;
  readonly timer: Timer;
  /** Maximum length of the stored text in characters. A longer one is not stored. @default 1,000,000 */
  readonly limit?: number | undefined;
}

const STORAGE_KEY = "tenon-dev-page";
const DELAY_MS = 300;

/** Settings of the user. */
export class Memory {
  readonly #options: MemoryOptions;
  readonly #signals = new Map<string, Signal<unknown>>();
  readonly #stored: Readonly<Record<string, unknown>>;
  #isPending = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#stored = readStored(options.storage);
  }

  /** Returns the signal of a setting. Its changes are stored. */
  signal<T>({ key, initial, parse }: Setting<T>): Signal<T> {
    // Safe: a key belongs to one setting, which determines the type.
    const known = this.#signals.get(key) as Signal<T> | undefined;
    if (known !== undefined) return known;
    const stored = Object.hasOwn(this.#stored, key) ? parse(this.#stored[key]) : undefined;
    const created = signal(stored ?? initial);
    this.#signals.set(key, created);
    let isFirst = true;
    effect(() => {
      void created.value;
      if (!isFirst) this.#saveSoon();
      isFirst = false;
    });
    return created;
  }

  /** Stores the settings now, because the page is closing. */
  save(): void {
    this.#isPending = false;
    const values = Object.fromEntries([...this.#signals].map(([key, one]) => [key, one.peek()]));
    const text = JSON.stringify({ ...this.#stored, ...values });
    if (text.length > (this.#options.limit ?? 1_000_000)) return;
    try {
      this.#options.storage.setItem(STORAGE_KEY, text);
    } catch {
      // The storage is full or not available. The settings apply until the page is closed.
    }
  }

  #saveSoon(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    this.#options.timer.after(DELAY_MS, () => {
      if (this.#isPending) this.save();
    });
  }
}

function readStored(storage: MemoryStorage): Readonly<Record<string, unknown>> {
  try {
    const value = readJson(storage.getItem(STORAGE_KEY) ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
