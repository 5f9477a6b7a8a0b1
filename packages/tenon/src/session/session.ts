/**
 * @fileoverview A legacy session: one connection, its streams, and the principal that opened it.
 * @module session/session
 */
import type { Connection } from "../core/wire/connection.js";
import {
  DEFAULT_STREAM_BOUNDS,
  type EventSink,
  EventStream,
  type KeptListener,
  readEventId,
  type StreamBounds,
} from "./event-stream.js";

/** How many streams of finished calls are kept for a client that comes back. */
const MAX_ENDED_STREAMS = 16;

/** Limits of one session. */
export interface SessionLimits {
  readonly streams: StreamBounds;
  /** Most characters kept for resumption in all streams together. */
  readonly maxKept: number;
}

/** The limits used where none are given. */
export const DEFAULT_SESSION_LIMITS: SessionLimits = { streams: DEFAULT_STREAM_BOUNDS, maxKept: 4_194_304 };

/** One client's stateful conversation over HTTP. */
export class Session {
  /** Unguessable, visible ASCII. */
  readonly id: string;
  readonly principal: string | undefined;
  readonly connection: Connection;
  /** What the server sends unasked. */
  readonly main: EventStream;
  /** When it was used last, as its store notes it. */
  usedAt = 0;
  /** Which use of any session was its last: the clock does not tell two uses in one millisecond apart. */
  lastUse = 0;
  readonly #limits: SessionLimits;
  readonly #onKept: KeptListener;
  readonly #streams = new Map<string, EventStream>();
  readonly #onClose: (() => void)[] = [];
  #lastStream = 0;
  #kept = 0;
  #closed = false;

  constructor({
    id,
    principal,
    connection,
    limits = DEFAULT_SESSION_LIMITS,
    onKept = () => {},
  }: SessionParts) {
    this.id = id;
    this.principal = principal;
    this.connection = connection;
    this.#limits = limits;
    this.#onKept = onKept;
    this.main = this.#createStream("main");
  }

  /** Number of characters kept for resumption. */
  get kept(): number {
    return this.#kept;
  }

  /** Whether nothing is going on: no call, and no client that listens. */
  get isIdle(): boolean {
    return this.connection.callsInFlight === 0 && !this.main.isAttached;
  }

  /** Whether it was ended. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** A stream for the replies to one request; old ones that have ended make room. */
  openStream(): EventStream {
    const stream = this.#createStream(String(++this.#lastStream));
    this.#streams.set(stream.id, stream);
    const ended = [...this.#streams.values()].filter((one) => one.isEnded);
    for (const one of ended.slice(0, Math.max(ended.length - MAX_ENDED_STREAMS, 0))) {
      this.#streams.delete(one.id);
      this.#count(-one.length);
    }
    return stream;
  }

  /** Drops what is kept for resumption. A client that comes back for a result is told so. */
  shrink(): void {
    for (const stream of this.#allStreams()) stream.shrink();
  }

  /**
   * Lets a client go on where it was cut off. Of a call it gets what is still kept: its result, if nothing else.
   *
   * @returns nothing where there is no such place
   */
  resume(lastEventId: string, sink: EventSink): EventStream | undefined {
    const at = readEventId(lastEventId);
    const stream = at && (at.stream === this.main.id ? this.main : this.#streams.get(at.stream));
    if (at === undefined || stream === undefined) return undefined;
    const after = stream === this.main ? at.number : Math.max(at.number, stream.before);
    return stream.attach(sink, after) ? stream : undefined;
  }

  /** Whether an id is of a call's stream that has nothing more to give: its client need not come back again. */
  isOver(lastEventId: string): boolean {
    const at = readEventId(lastEventId);
    if (at === undefined || at.stream === this.main.id) return false;
    const stream = this.#streams.get(at.stream);
    if (stream === undefined || at.number > stream.last) return true;
    // Events after this number may have been dropped, so that nothing is left to give.
    return stream.isEnded && Math.max(at.number, stream.before) === stream.last;
  }

  /** Runs `task` when the session ends. */
  onClose(task: () => void): void {
    if (this.#closed) task();
    else this.#onClose.push(task);
  }

  /** Ends the session: calls are cancelled, clients let go. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const task of this.#onClose) task();
    this.connection.close();
    for (const stream of this.#allStreams()) stream.end();
    this.#streams.clear();
    this.#count(-this.#kept);
  }

  #allStreams(): readonly EventStream[] {
    return [this.main, ...this.#streams.values()];
  }

  #createStream(id: string): EventStream {
    return new EventStream(id, this.#limits.streams, (change) => {
      if (this.#closed) return;
      this.#count(change);
      if (change > 0 && this.#kept > this.#limits.maxKept) this.#trim();
    });
  }

  #count(change: number): void {
    this.#kept += change;
    this.#onKept(change);
  }

  /** Calls that have ended lose what is kept first, the oldest of them before the others. */
  #trim(): void {
    const { maxKept } = this.#limits;
    const streams = this.#allStreams();
    for (const stream of streams) if (stream.isEnded && this.#kept > maxKept) stream.shrink();
    for (const stream of streams) while (this.#kept > maxKept && stream.dropOldest());
  }
}

/** Parts that a session is made of. */
export interface SessionParts {
  readonly id: string;
  readonly principal: string | undefined;
  readonly connection: Connection;
  readonly limits?: SessionLimits;
  /** Told how many characters more, or fewer, the session keeps. */
  readonly onKept?: KeptListener;
}
