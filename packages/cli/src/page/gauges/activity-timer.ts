/**
 * @fileoverview Figures of the recorded calls. A timer publishes live figures once per second while a page is connected, if they have changed.
 * @module cli/page/gauges/activity-timer
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Activity, Gauge } from "../protocol.js";
import type { CallStore } from "../record/call-store.js";
import { RECORD_LIMITS } from "../record/limits.js";

/** Returns the figures at this moment. */
export type ReadActivity = () => MaybePromise<Activity>;

const INTERVAL_MS = 1_000;

/** Timer for live figures. */
export class ActivityTimer {
  readonly #read: ReadActivity;
  readonly #publish: (activity: Activity) => void;
  #timer: NodeJS.Timeout | undefined;
  #last = "";
  #isReading = false;

  constructor(read: ReadActivity, publish: (activity: Activity) => void) {
    this.#read = read;
    this.#publish = publish;
  }

  /** Starts to publish. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#update(), INTERVAL_MS).unref();
    void this.#update();
  }

  /** Stops to publish. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Publishes the figures. A process that does not respond leads to a pause, not to more requests. */
  async #update(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const activity = await this.#read();
      const text = JSON.stringify(activity);
      if (text !== this.#last && this.#timer !== undefined) this.#publish(activity);
      this.#last = text;
    } catch {
      // The figures are read again in a second.
    } finally {
      this.#isReading = false;
    }
  }
}

/** Returns the number and the size of recorded calls. */
export function readRecordGauges({ count, bytes }: CallStore): readonly Gauge[] {
  return [
    { id: "recorded-calls", title: "Recorded calls", value: count, max: RECORD_LIMITS.calls, unit: "calls" },
    {
      id: "recorded-bytes",
      title: "Recorded messages",
      value: bytes,
      max: RECORD_LIMITS.bytes,
      unit: "bytes",
    },
  ];
}
