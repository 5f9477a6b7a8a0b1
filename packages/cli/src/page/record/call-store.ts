/**
 * @fileoverview Recorded calls in the order of their start. The oldest ones are dropped beyond the limits.
 * @module cli/page/record/call-store
 */
import type { CallSummary } from "../protocol.js";
import { CallRecord, type CallStart } from "./call-record.js";
import { RECORD_LIMITS } from "./limits.js";

/** Settings for `CallStore`. */
export interface StoreSettings {
  /** Called with each call that has started or changed. */
  readonly onChange: (call: CallSummary) => void;
  /** @default RECORD_LIMITS */
  readonly limits?: { readonly calls: number; readonly bytes: number };
}

/** Store of recorded calls. */
export class CallStore {
  readonly #settings: StoreSettings;
  readonly #records = new Map<string, CallRecord>();
  /** Sizes that are part of `#bytes`, by ID. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  #lastId = 0;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
  }

  /** Number of calls. */
  get count(): number {
    return this.#records.size;
  }

  /** Size of all texts in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records a call that has started. */
  start(start: CallStart): CallRecord {
    const record = new CallRecord(`c${++this.#lastId}`, start, (changed) => this.#onChange(changed));
    this.#records.set(record.id, record);
    this.#onChange(record);
    return record;
  }

  /** Returns a call, unless it has been dropped. */
  get(id: string): CallRecord | undefined {
    return this.#records.get(id);
  }

  /** Returns all calls, oldest first. */
  records(): readonly CallRecord[] {
    return [...this.#records.values()];
  }

  /** Removes all calls that have ended. */
  clear(): void {
    for (const record of this.#records.values()) if (!record.isRunning) this.#drop(record.id);
  }

  #onChange(record: CallRecord): void {
    // A call that was dropped can still be running.
    if (!this.#records.has(record.id)) return;
    this.#bytes += record.size - (this.#sizes.get(record.id) ?? 0);
    this.#sizes.set(record.id, record.size);
    this.#dropOldest(record.id);
    if (this.#records.has(record.id)) this.#settings.onChange(record.toSummary());
  }

  /** Drops calls until the limits are met. The newest change is dropped only if it exceeds the limit alone. */
  #dropOldest(newest: string): void {
    const { calls, bytes } = this.#settings.limits ?? RECORD_LIMITS;
    for (const id of this.#records.keys()) {
      if (this.#records.size <= calls && this.#bytes <= bytes) return;
      if (id !== newest) this.#drop(id);
    }
    if (this.#bytes > bytes) this.#drop(newest);
  }

  #drop(id: string): void {
    this.#bytes -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#records.delete(id);
  }
}
