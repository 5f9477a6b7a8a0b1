/**
 * @fileoverview Connection to the backend: reads events, and connects again when the stream ends.
 * @module cli/page-app/backend/backend-link
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Timer } from "@tenon/ui/support/timer.js";
import type { PageEvent } from "../../src/page/protocol.js";
import { readEvents, type StreamEnd } from "./read-events.js";
import type { Fetch } from "./requests.js";

/** State of the connection. */
export type LinkState =
  | { readonly status: "connecting" }
  | { readonly status: "open" }
  /** The backend is not reachable. The page tries again. */
  | { readonly status: "lost" }
  /** The page belongs to an earlier launch. */
  | { readonly status: "denied"; readonly message: string }
  | { readonly status: "rejected"; readonly message: string };

/** Options of `BackendLink`. */
export interface LinkOptions {
  readonly fetch: Fetch;
  readonly timer: Timer;
  /** Called when a stream has opened. Its first events describe the whole state. */
  readonly onOpen: () => void;
  readonly onEvents: (events: readonly PageEvent[]) => void;
}

/** The backend sends an empty line every 15 seconds. A longer silence means that the connection is lost. */
const SILENCE_MS = 45_000;
const DELAYS_MS = [300, 600, 1_200, 2_500, 5_000] as const;
const MAX_DELAY_MS = 5_000;

/** Returns the time before the next attempt, in milliseconds. */
export function retryDelay(attempt: number): number {
  return DELAYS_MS[attempt] ?? MAX_DELAY_MS;
}

/** Connection to the backend. */
export class BackendLink {
  readonly #options: LinkOptions;
  readonly #state = signal<LinkState>({ status: "connecting" });
  readonly state: ReadonlySignal<LinkState> = this.#state;
  #abort = new AbortController();
  #isStopped = false;
  #wake: (() => void) | undefined;
  #stopSilence: (() => void) | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Connects, and stays connected until `stop`. */
  async start(): Promise<void> {
    let attempt = 0;
    while (!this.#isStopped) {
      const { end, wasOpen } = await this.#read();
      if (this.#isStopped) return;
      this.#state.value = toState(end);
      attempt = wasOpen ? 0 : attempt + 1;
      // A page of an earlier launch waits until the user opens the new URL.
      await this.#pause(end.kind === "lost" ? retryDelay(attempt) : MAX_DELAY_MS);
    }
  }

  /** Tries again now, if the connection is lost. */
  retry(): void {
    this.#wake?.();
  }

  /** Closes the connection. */
  stop(): void {
    this.#isStopped = true;
    this.#abort.abort();
    this.#wake?.();
  }

  async #read(): Promise<{ readonly end: StreamEnd; readonly wasOpen: boolean }> {
    const { fetch, onOpen, onEvents } = this.#options;
    let wasOpen = false;
    this.#abort = new AbortController();
    this.#watchSilence();
    const end = await readEvents({
      fetch,
      signal: this.#abort.signal,
      onOpen: () => {
        wasOpen = true;
        this.#state.value = { status: "open" };
        onOpen();
      },
      onEvents: (events) => {
        this.#watchSilence();
        onEvents(events);
      },
    });
    this.#stopSilence?.();
    return { end, wasOpen };
  }

  #watchSilence(): void {
    this.#stopSilence?.();
    const abort = this.#abort;
    this.#stopSilence = this.#options.timer.after(SILENCE_MS, () => abort.abort());
  }

  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#options.timer.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

function toState(end: StreamEnd): LinkState {
  return end.kind === "lost" ? { status: "lost" } : { status: end.kind, message: end.message };
}
