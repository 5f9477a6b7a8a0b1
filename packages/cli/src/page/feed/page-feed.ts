/**
 * @fileoverview Events for pages. Keeps the state that a page gets when it connects, and passes on its changes.
 * @module cli/page/feed/page-feed
 */
import type { CallSummary, PageEvent } from "../protocol.js";

/** Receives events. */
export type FeedListener = (event: PageEvent) => void;

/** Settings for `PageFeed`. */
export interface FeedSettings {
  /** Returns the recorded calls, oldest first. */
  readonly calls: () => Iterable<CallSummary>;
  /** Called when the first page connects (true) and when the last one disconnects (false). */
  readonly onAudience?: (isWatched: boolean) => void;
}

/** Maximum numbers of entries in the state. The oldest entries are dropped. */
const MAX_LOG = 2_000;
const MAX_TASKS = 500;
const MAX_REPLAYS = 10;
/** Time in milliseconds in which the changes of a call are combined into one event. */
const BATCH_MS = 25;

/** State of which only the newest event counts. */
type Current = Extract<
  PageEvent,
  { readonly type: "launch" | "connection" | "server" | "build" | "activity" | "subscriptions" }
>;

/** Feed of events for all pages. */
export class PageFeed {
  readonly #settings: FeedSettings;
  readonly #listeners = new Set<FeedListener>();
  readonly #current = new Map<Current["type"], Current>();
  readonly #questions = new Map<string, PageEvent>();
  readonly #tasks = new Map<string, PageEvent>();
  readonly #replays = new Map<string, PageEvent>();
  readonly #log: PageEvent[] = [];
  readonly #changedCalls = new Map<string, CallSummary>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: FeedSettings) {
    this.#settings = settings;
  }

  /** True while a page is connected. */
  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Publishes an event. Changes of calls are combined for a moment. */
  publish(event: PageEvent): void {
    if (event.type === "call") {
      this.#batch(event.call);
      return;
    }
    if (event.type === "calls-cleared") this.#changedCalls.clear();
    this.#keep(event);
    this.#send(event);
  }

  /** Passes the state and then all events to a listener, until the returned function is called. */
  connect(listener: FeedListener): () => void {
    this.#flush();
    for (const event of this.#state()) listener(event);
    listener({ type: "ready" });
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#settings.onAudience?.(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#settings.onAudience?.(false);
    };
  }

  *#state(): Iterable<PageEvent> {
    yield* this.#current.values();
    for (const call of this.#settings.calls()) yield { type: "call", call };
    yield* this.#questions.values();
    yield* this.#tasks.values();
    yield* this.#replays.values();
    yield* this.#log;
  }

  #keep(event: PageEvent): void {
    switch (event.type) {
      case "launch":
      case "connection":
      case "server":
      case "build":
      case "activity":
      case "subscriptions":
        this.#current.set(event.type, event);
        break;
      case "question":
        this.#questions.set(event.question.id, event);
        break;
      case "question-closed":
        this.#questions.delete(event.id);
        break;
      case "task":
        keep(this.#tasks, event.task.id, { event, limit: MAX_TASKS });
        break;
      case "replay":
        keep(this.#replays, event.replay.id, { event, limit: MAX_REPLAYS });
        break;
      case "log":
        if (this.#log.push(event) > MAX_LOG) this.#log.shift();
        break;
      default:
        break;
    }
  }

  #batch(call: CallSummary): void {
    if (!this.isWatched) return;
    this.#changedCalls.set(call.id, call);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changed = [...this.#changedCalls.values()];
    this.#changedCalls.clear();
    for (const call of changed) this.#send({ type: "call", call });
  }

  #send(event: PageEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Stores an event. Drops the oldest one beyond the limit. */
function keep(
  events: Map<string, PageEvent>,
  id: string,
  { event, limit }: { readonly event: PageEvent; readonly limit: number },
): void {
  events.set(id, event);
  const [oldest] = events.keys();
  if (events.size > limit && oldest !== undefined) events.delete(oldest);
}
