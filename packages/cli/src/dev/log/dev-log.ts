/**
 * @fileoverview Prints the events of `tenon dev`: as text on a terminal, and otherwise as one JSON object per line.
 * @module cli/dev/log/dev-log
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { DevEvent } from "./events.js";
import { createStyle, formatText } from "./format-text.js";

/** Settings for `DevLog`. */
export interface LogSettings {
  readonly output: Writable;
  readonly isJson: boolean;
  readonly hasColors: boolean;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with each event, also with those that are not printed. */
  readonly onEvent?: ((event: DevEvent) => void) | undefined;
}

/** Maximum number of unwritten bytes. Beyond it, events are dropped, because a reader that stopped must not fill memory. */
const MAX_UNWRITTEN = 4_194_304;

/** Output of the command. */
export class DevLog {
  readonly #settings: LogSettings;
  #dropped = 0;

  constructor(settings: LogSettings) {
    this.#settings = settings;
  }

  /** Prints an event. */
  print(event: DevEvent): void {
    const { output, onEvent } = this.#settings;
    onEvent?.(event);
    if (output.writableLength > MAX_UNWRITTEN) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) {
      const text = `Events not printed, because the output was not read: ${this.#dropped}.`;
      this.#dropped = 0;
      output.write(this.#format({ event: "note", text }));
    }
    output.write(this.#format(event));
  }

  /** Returns a promise that resolves when the reader has caught up, or `undefined` if it is not behind. */
  whenWritable(): Promise<void> | undefined {
    const { output } = this.#settings;
    if (!output.writableNeedDrain || output.destroyed) return undefined;
    return once(output, "drain").then(
      () => undefined,
      () => undefined,
    );
  }

  #format(event: DevEvent): string {
    const { isJson, hasColors, now } = this.#settings;
    const time = new Date(now());
    if (isJson) return `${JSON.stringify({ time: time.toISOString(), ...event })}\n`;
    return formatText(event, time, createStyle(hasColors));
  }
}
