/**
 * @fileoverview Calls with their messages. They are read when a view shows them, and again when they change.
 * @module cli/page-app/backend/call-details
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Timer } from "@tenon/ui/support/timer.js";
import type { CallDetail } from "../../src/page/protocol.js";
import type { CommandClient } from "./commands.js";
import { describeFailure } from "./requests.js";

/** Call with its messages, as far as it is read. */
export interface DetailState {
  readonly detail: CallDetail | undefined;
  /** Reason why the call could not be read. */
  readonly message: string | undefined;
}

interface Entry {
  readonly state: Signal<DetailState>;
  isBusy: boolean;
  isWanted: boolean;
}

/** Results can be megabytes long, so only the last ones are kept. */
const MAX_ENTRIES = 24;
/** Pause between two reads of the same call, because a running call can change many times per second. */
const PAUSE_MS = 150;

/** Cache of calls with their messages. */
export class CallDetails {
  readonly #commands: Pick<CommandClient, "readCall">;
  readonly #timer: Timer;
  readonly #entries = new Map<string, Entry>();

  constructor(commands: Pick<CommandClient, "readCall">, timer: Timer) {
    this.#commands = commands;
    this.#timer = timer;
  }

  /** Returns the state of a call as a signal. */
  stateOf(id: string): ReadonlySignal<DetailState> {
    return this.#entryOf(id).state;
  }

  /** Reads a call, or reads it again. */
  load(id: string): void {
    const entry = this.#entryOf(id);
    entry.isWanted = true;
    if (!entry.isBusy) void this.#read(id, entry);
  }

  /** Forgets all calls, because another launch uses the same IDs. */
  clear(): void {
    this.#entries.clear();
  }

  #entryOf(id: string): Entry {
    const known = this.#entries.get(id);
    const entry = known ?? {
      state: signal<DetailState>({ detail: undefined, message: undefined }),
      isBusy: false,
      isWanted: false,
    };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  async #read(id: string, entry: Entry): Promise<void> {
    entry.isBusy = true;
    while (entry.isWanted) {
      entry.isWanted = false;
      try {
        entry.state.value = { detail: await this.#commands.readCall(id), message: undefined };
      } catch (error) {
        entry.state.value = { detail: entry.state.value.detail, message: describeFailure(error) };
      }
      await new Promise<void>((resolve) => this.#timer.after(PAUSE_MS, resolve));
    }
    entry.isBusy = false;
  }
}
