/**
 * @fileoverview Connection to the backend: reads events, and connects again when the stream ends.
 * @module cli/page-app/backend/backend-link
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Timer } from "@tenon/ui/support/timer.js";
import type { PageEvent } from "../../src/page/protocol.js";
import { API_PATH, type Fetch, readFailure } from "./requests.js";

/** State of the connection. */
export type LinkState = { readonly status: "connecting" } | { readonly status: "open" } | StreamEnd;

/** Reason why a stream has ended. */
type StreamEnd =
  /** The backend is not reachable, or has closed the stream. The page tries again. */
  | { readonly status: "lost" }
  /** The page belongs to an earlier launch: its cookie is missing, or is that of the earlier launch. */
  | { readonly status: "denied" | "rejected"; readonly message: string };

/** Options of `BackendLink`. */
export interface LinkOptions {
  readonly fetch: Fetch;
  readonly timer: Timer;
  /** Called when a stream has opened. Its first events describe the whole state. */
  readonly onOpen: () => void;
  /** Called for each chunk of the stream, also for those without a complete event. */
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
      this.#state.value = end;
      attempt = wasOpen ? 0 : attempt + 1;
      // A page of an earlier launch waits until the user opens the new URL.
      await this.#pause(end.status === "lost" ? retryDelay(attempt) : MAX_DELAY_MS);
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

/** Options of `readEvents`. */
interface EventReading extends Omit<LinkOptions, "timer"> {
  readonly signal: AbortSignal;
}

/** Reads events until the stream ends. Never rejects. */
async function readEvents({ fetch, signal, onOpen, onEvents }: EventReading): Promise<StreamEnd> {
  try {
    const response = await fetch(`${API_PATH}events`, { signal, cache: "no-store" });
    if (!response.ok || response.body === null) {
      const message = await readFailure(response);
      return { status: response.status === 403 ? "denied" : "rejected", message };
    }
    onOpen();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const lines = new LineSplitter();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { status: "lost" };
      onEvents(lines.push(decoder.decode(value, { stream: true })).map(parseEvent));
    }
  } catch {
    return { status: "lost" };
  }
}

function parseEvent(line: string): PageEvent {
  // Safe: the backend has the same version as the page.
  return JSON.parse(line) as PageEvent;
}

/** Collects chunks of text until a line is complete. A line can be megabytes long, so chunks are joined only once. */
export class LineSplitter {
  #open: string[] = [];

  /** Adds a chunk. Returns the lines that it completes, without empty ones. */
  push(chunk: string): readonly string[] {
    const [first = "", ...others] = chunk.split("\n");
    this.#open.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#open.join(""), ...others];
    this.#open = [last];
    return lines.filter((line) => line !== "");
  }
}
