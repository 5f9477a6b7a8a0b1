/**
 * @fileoverview A stream of events that outlives its connection: what was sent is kept for a while, so that a client
 * that was cut off comes back and gets the rest, without loss or duplicates.
 * @module session/event-stream
 */

/** Where events go while a client is there. */
export interface EventSink {
  /** Sends one event; a promise where the client is slow and the sender should wait. */
  write(data: string, id: string): Promise<void> | undefined;
  /** Ends the connection in good order. */
  end(): void;
}

/** How much of a stream is kept. */
export interface StreamBounds {
  /**
   * Most events kept for a client that comes back.
   * @default 1000
   */
  readonly maxEvents: number;
  /**
   * Most characters kept for a client that comes back: stops a client from filling memory by staying away. One event
   * may be longer, as far as the limits of the session and the endpoint allow.
   * @default 1048576
   */
  readonly maxLength: number;
}

/** Told how many characters more, or fewer, a stream keeps. */
export type KeptListener = (change: number) => void;

/** The bounds used where none are given. */
export const DEFAULT_STREAM_BOUNDS: StreamBounds = { maxEvents: 1000, maxLength: 1_048_576 };

interface KeptEvent {
  readonly number: number;
  readonly data: string;
  /** Takes the place of an event that cannot be kept. */
  readonly substitute: string | undefined;
}

/** One stream of a session. */
export class EventStream {
  readonly id: string;
  readonly #bounds: StreamBounds;
  readonly #onKept: KeptListener;
  readonly #kept: KeptEvent[] = [];
  #length = 0;
  #last = 0;
  /** The number of the last event that any client was sent. */
  #sent = 0;
  #sink: EventSink | undefined;
  #ended = false;

  constructor(id: string, bounds: StreamBounds = DEFAULT_STREAM_BOUNDS, onKept: KeptListener = () => {}) {
    this.id = id;
    this.#bounds = bounds;
    this.#onKept = onKept;
  }

  /** Whether a client is there. */
  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether nothing more will come. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#last;
  }

  /** How many characters are kept. */
  get length(): number {
    return this.#length;
  }

  /**
   * Sends an event, now or when a client comes back.
   *
   * @param substitute a short event that a client gets which comes back after `data` had to be dropped
   */
  push(data: string, substitute?: string): Promise<void> | undefined {
    const event = { number: ++this.#last, data, substitute };
    this.#kept.push(event);
    this.#count(data.length);
    // The newest is kept although it is long: it may be the result that the client waits for.
    while (this.#kept.length > 1 && this.#isFull()) this.dropOldest();
    return this.#sink && this.#write(this.#sink, event);
  }

  /** Drops the oldest event that is kept; the last one leaves its substitute. Returns false if nothing is kept. */
  dropOldest(): boolean {
    const event = this.#kept.shift();
    if (event === undefined) return false;
    this.#count(-event.data.length);
    if (this.#kept.length === 0) this.#substitute(event);
    return true;
  }

  /** Drops all events that are kept; the last one leaves its substitute. */
  shrink(): void {
    const last = this.#kept.at(-1);
    this.#kept.length = 0;
    this.#count(-this.#length);
    if (last !== undefined) this.#substitute(last);
  }

  /**
   * Lets a client listen: what it has not got comes first, then what follows. A client that was there before is let go.
   *
   * @param after the number of the last event that the client got; without one, the last that any client was sent, or
   * what is still kept after it
   * @returns false where events after it are no longer kept
   */
  attach(sink: EventSink, after: number = this.#next()): boolean {
    if (after > this.#last || after < this.before) return false;
    this.#sink?.end();
    this.#sink = sink;
    for (const event of this.#kept) if (event.number > after) void this.#write(sink, event);
    if (this.#ended) this.#release(sink);
    return true;
  }

  /** Notes that a client is gone. Another one that took its place stays. */
  detach(sink: EventSink): void {
    if (this.#sink === sink) this.#sink = undefined;
  }

  /** Lets the client go; it may come back for the rest. */
  hangUp(): void {
    if (this.#sink !== undefined) this.#release(this.#sink);
  }

  /** Ends the stream after what was pushed. */
  end(): void {
    this.#ended = true;
    this.hangUp();
  }

  /** The id that a client names to get what follows an event. */
  idOf(number: number): string {
    return `${this.id}_${number}`;
  }

  /** The id before the next event, for a client that attaches now and is cut off before it gets any. */
  get nextId(): string {
    return this.idOf(this.#next());
  }

  #substitute({ number, substitute }: KeptEvent): void {
    if (substitute === undefined) return;
    this.#kept.push({ number, data: substitute, substitute: undefined });
    this.#count(substitute.length);
  }

  #count(change: number): void {
    this.#length += change;
    this.#onKept(change);
  }

  #isFull(): boolean {
    return this.#kept.length > this.#bounds.maxEvents || this.#length > this.#bounds.maxLength;
  }

  /** The number before the oldest event that is kept. */
  get before(): number {
    const [oldest] = this.#kept;
    return oldest === undefined ? this.#last : oldest.number - 1;
  }

  #next(): number {
    return Math.max(this.#sent, this.before);
  }

  #write(sink: EventSink, { number, data }: KeptEvent): Promise<void> | undefined {
    this.#sent = Math.max(this.#sent, number);
    return sink.write(data, this.idOf(number));
  }

  #release(sink: EventSink): void {
    this.#sink = undefined;
    sink.end();
  }
}

/** Reads the stream and number from an event's id. Returns `undefined` for an id that is not one of ours. */
export function readEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const [, stream, number] = /^([A-Za-z0-9-]{1,64})_(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
