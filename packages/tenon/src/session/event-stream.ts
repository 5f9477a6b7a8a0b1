/**
 * @fileoverview Event stream that outlives its connection. It keeps recent events, so a client that reconnects receives
 * the rest without loss or duplicates.
 * @module tenon/session/event-stream
 */
import { isAllowed } from "../core/wire/access.js";
import { DEFAULT_SESSION_LIMITS, type StreamLimits } from "./session-limits.js";
import type { EventSink, Listener, ResumableSink, SessionStream } from "./sessions.js";

/** Called with the change in the number of kept characters. */
export type KeptListener = (change: number) => void;

interface KeptEvent {
  readonly number: number;
  readonly data: string;
  /** Shorter event that replaces this one after it is dropped. */
  readonly substitute: string | undefined;
  /** Scopes that a client needs to receive the event. */
  readonly scopes: readonly string[];
}

/** Resumable event stream in a session of this process. */
export class EventStream implements SessionStream {
  readonly id: string;
  /** Scopes that a client needs to resume the stream. */
  scopes: readonly string[] = [];
  readonly #bounds: StreamLimits;
  readonly #onKept: KeptListener;
  readonly #kept: KeptEvent[] = [];
  #length = 0;
  #last = 0;
  /** Number of the last event sent to any client. */
  #sent = 0;
  #sink: EventSink | undefined;
  /** Credentials of the client. */
  #auth: Listener["auth"];
  #ended = false;

  constructor(
    id: string,
    bounds: StreamLimits = DEFAULT_SESSION_LIMITS.streams,
    onKept: KeptListener = () => {},
  ) {
    this.id = id;
    this.#bounds = bounds;
    this.#onKept = onKept;
  }

  /** True while a client is connected. */
  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  /** True once the stream has ended. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Number of the last event. */
  get last(): number {
    return this.#last;
  }

  /** Number of characters kept. */
  get length(): number {
    return this.#length;
  }

  start(sink: ResumableSink, retryMs: number | undefined, auth?: Listener["auth"]): void {
    if (retryMs !== undefined) sink.prime(this.nextId, retryMs);
    this.attach(sink, { auth });
  }

  push(data: string, substitute?: string, scopes: readonly string[] = []): Promise<void> | undefined {
    const event = { number: ++this.#last, data, substitute, scopes };
    this.#kept.push(event);
    this.#count(data.length);
    // The newest event is kept even if it is too long: it may be the result that the client is waiting for.
    while (this.#kept.length > 1 && this.#isFull()) this.dropOldest();
    return this.#sink && this.#write(this.#sink, event);
  }

  /** Drops the oldest kept event. If it was the only one, keeps its substitute. Returns false if no event is kept. */
  dropOldest(): boolean {
    const event = this.#kept.shift();
    if (event === undefined) return false;
    this.#count(-event.data.length);
    if (this.#kept.length === 0) this.#substitute(event);
    return true;
  }

  /** Drops all kept events. Keeps only the substitute for the newest one. */
  shrink(): void {
    const last = this.#kept.at(-1);
    this.#kept.length = 0;
    this.#count(-this.#length);
    if (last !== undefined) this.#substitute(last);
  }

  /**
   * Attaches a client: sends missed events first, then new ones. Disconnects the previous client.
   *
   * @returns false if `canAttach` is false
   */
  attach(sink: EventSink, { after = this.#next(), auth }: AttachedClient = {}): boolean {
    if (!this.canAttach(after)) return false;
    this.#sink?.end();
    this.#sink = sink;
    this.#auth = auth;
    const sendMissed = () => {
      for (const event of this.#kept) if (event.number > after) void this.#write(sink, event);
    };
    if (sink.together === undefined) sendMissed();
    else sink.together(sendMissed);
    if (this.#ended) this.#release(sink);
    return true;
  }

  /** Returns false if an event number is invalid, or if later events are no longer kept. */
  canAttach(after: number): boolean {
    return after <= this.#last && after >= this.before;
  }

  detach(sink: EventSink): void {
    if (this.#sink === sink) this.#sink = undefined;
  }

  hangUp(): void {
    if (this.#sink !== undefined) this.#release(this.#sink);
  }

  end(): void {
    this.#ended = true;
    this.hangUp();
  }

  /** Returns the ID that a client sends to resume after an event. */
  idOf(number: number): string {
    return `${this.id}_${number}`;
  }

  /** Resume ID for a client that attaches now and disconnects before it receives an event. */
  get nextId(): string {
    return this.idOf(this.#next());
  }

  #substitute({ number, substitute, scopes }: KeptEvent): void {
    if (substitute === undefined) return;
    this.#kept.push({ number, data: substitute, substitute: undefined, scopes });
    this.#count(substitute.length);
  }

  #count(change: number): void {
    this.#length += change;
    this.#onKept(change);
  }

  #isFull(): boolean {
    return this.#kept.length > this.#bounds.maxEvents || this.#length > this.#bounds.maxLength;
  }

  /** Number of the event before the oldest kept one. */
  get before(): number {
    const [oldest] = this.#kept;
    return oldest === undefined ? this.#last : oldest.number - 1;
  }

  #next(): number {
    return Math.max(this.#sent, this.before);
  }

  #write(sink: EventSink, { number, data, scopes }: KeptEvent): Promise<void> | undefined {
    this.#sent = Math.max(this.#sent, number);
    if (!isAllowed({ scopes }, this.#auth)) return undefined;
    return sink.write(data, this.idOf(number));
  }

  #release(sink: EventSink): void {
    this.#sink = undefined;
    sink.end();
  }
}

/** Client that attaches to a stream. */
interface AttachedClient {
  /**
   * Number of the last event that it received.
   * @default the last event sent to any client, or the one before the oldest kept event
   */
  readonly after?: number;
  readonly auth?: Listener["auth"];
}

/** Parses an event ID into its stream ID and event number. Returns `undefined` for other text. */
export function readEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const [, stream, number] = /^([A-Za-z0-9-]{1,64})_(0|[1-9]\d{0,14})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
