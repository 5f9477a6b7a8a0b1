/**
 * @fileoverview Legacy session: one connection, its streams, and the principal that opened it.
 * @module tenon/session/session
 */
import { ANONYMOUS } from "@tenon/internal/collections/fair-share";
import type { Owned } from "@tenon/internal/collections/owner-ranking";
import { isAllowed } from "../core/wire/access.js";
import type { Connection } from "../core/wire/connection.js";
import type { RequestId } from "../protocol/index.js";
import { EventStream, type KeptListener, readEventId } from "./event-stream.js";
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from "./session-limits.js";
import type { LegacySession, Listener, Listening, ResumableSink } from "./sessions.js";

/** Maximum number of finished calls whose streams are kept for a client that reconnects. */
const MAX_ENDED_STREAMS = 16;

/** One client's stateful HTTP session in this process. */
export class Session implements LegacySession, Owned {
  /** Unguessable ID in visible ASCII. */
  readonly id: string;
  /** Caller that opened the session. The session is in one process, so it belongs to one server. */
  readonly principal: string | undefined;
  /** Caller that the session counts for. */
  readonly owner: string;
  readonly connection: Connection;
  /** Stream for server-initiated messages. */
  readonly main: EventStream;
  /** Time of the last use, set by the store. */
  usedAt = 0;
  /** Sequence number of the last use. The clock cannot order two uses within one millisecond. */
  lastUse = 0;
  /** Use by which the session is sorted among those of its owner, and its place there. A later use is noticed lazily. */
  at = 0;
  readonly order = 0;
  place = 0;
  readonly #limits: NonNullable<SessionParts["limits"]>;
  readonly #onKept: KeptListener;
  readonly #streams = new Map<string, EventStream>();
  readonly #onClose: (() => void)[] = [];
  #lastStream = 0;
  #kept = 0;
  #closed = false;

  constructor({
    id,
    principal,
    owner = ANONYMOUS,
    connection,
    limits = DEFAULT_SESSION_LIMITS,
    onKept = () => {},
  }: SessionParts) {
    this.id = id;
    this.principal = principal;
    this.owner = owner;
    this.connection = connection;
    this.#limits = limits;
    this.#onKept = onKept;
    this.main = this.#createStream("main");
  }

  /** Number of characters kept for resumption. */
  get kept(): number {
    return this.#kept;
  }

  /** True if no call is in flight and no client is listening. */
  get isIdle(): boolean {
    return this.connection.callsInFlight === 0 && !this.main.isAttached;
  }

  /** True once the session has ended. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Opens a stream for the replies to one request. Removes the oldest ended streams. */
  openStream(_requests: readonly RequestId[] = [], scopes: readonly string[] = []): EventStream {
    const stream = this.#createStream(String(++this.#lastStream));
    stream.scopes = scopes;
    this.#streams.set(stream.id, stream);
    const ended = [...this.#streams.values()].filter((one) => one.isEnded);
    for (const one of ended.slice(0, Math.max(ended.length - MAX_ENDED_STREAMS, 0))) {
      this.#streams.delete(one.id);
      this.#count(-one.length);
    }
    return stream;
  }

  /** Drops the events kept for resumption. A client that reconnects for a result receives an error instead. */
  shrink(): void {
    for (const stream of this.#allStreams()) stream.shrink();
  }

  listen({ lastEventId, auth, retryMs, open }: Listener): Listening {
    if (lastEventId !== undefined) {
      if (!this.hasIssued(lastEventId)) return "not-issued";
      // A stream that the client may not read looks like one that is no longer kept.
      if (this.isOver(lastEventId) || !this.#mayResume(lastEventId, auth)) return "over";
    }
    let stream: EventStream | undefined;
    let isGone = false;
    const sink = open(() => {
      isGone = true;
      stream?.detach(sink);
    });
    if (isGone) return "listening"; // later events belong to the next client
    // If the missed events are gone, the client gets a new stream, as the specification describes for streams that
    // cannot be resumed.
    stream = lastEventId === undefined ? undefined : this.resume(lastEventId, sink, { retryMs, auth });
    if (stream === undefined) {
      stream = this.main;
      stream.start(sink, retryMs, auth);
    }
    return "listening";
  }

  /**
   * Resumes a stream after the last event that the client received. For a call's stream, sends the events that are
   * still kept, at least the result. The first event repeats the position: a client forgets the one that it sent, and
   * could not resume again if the connection breaks before the next event.
   *
   * @returns the stream, or `undefined` if the position is unknown
   */
  resume(
    lastEventId: string,
    sink: ResumableSink,
    { retryMs, auth }: Partial<Pick<Listener, "retryMs" | "auth">> = {},
  ): EventStream | undefined {
    const at = readEventId(lastEventId);
    const stream = at && (at.stream === this.main.id ? this.main : this.#streams.get(at.stream));
    if (at === undefined || stream === undefined) return undefined;
    const after = stream === this.main ? at.number : Math.max(at.number, stream.before);
    if (!stream.canAttach(after)) return undefined;
    if (retryMs !== undefined) sink.prime(lastEventId, retryMs);
    stream.attach(sink, { after, auth });
    return stream;
  }

  /** Returns true if a client of this session may have received an event with this ID. */
  hasIssued(lastEventId: string): boolean {
    const at = readEventId(lastEventId);
    if (at === undefined) return false;
    if (at.stream === this.main.id) return at.number <= this.main.last;
    const stream = this.#streams.get(at.stream);
    if (stream !== undefined) return at.number <= stream.last;
    // The events of this call are no longer kept.
    return /^[1-9]\d{0,14}$/.test(at.stream) && Number(at.stream) <= this.#lastStream;
  }

  /**
   * Returns true if the ID belongs to a call's stream that will not send more events, so the client can stop
   * reconnecting.
   */
  isOver(lastEventId: string): boolean {
    const at = readEventId(lastEventId);
    if (at === undefined || at.stream === this.main.id) return false;
    const stream = this.#streams.get(at.stream);
    if (stream === undefined) return true;
    // Later events may have been dropped, which leaves nothing to send.
    return stream.isEnded && Math.max(at.number, stream.before) === stream.last;
  }

  #mayResume(lastEventId: string, auth: Listener["auth"]): boolean {
    const stream = this.#streams.get(readEventId(lastEventId)?.stream ?? "");
    return stream === undefined || isAllowed(stream, auth);
  }

  /** Runs `task` when the session ends, or immediately if it has ended. */
  onClose(task: () => void): void {
    if (this.#closed) task();
    else this.#onClose.push(task);
  }

  /** Ends the session: cancels calls and disconnects clients. */
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
      if (change > 0 && this.#kept > this.#limits.maxKeptPerSession) this.#trim();
    });
  }

  #count(change: number): void {
    this.#kept += change;
    this.#onKept(change);
  }

  /** Drops kept events until the limit is met, starting with the oldest finished calls. */
  #trim(): void {
    const { maxKeptPerSession: maxKept } = this.#limits;
    const streams = this.#allStreams();
    for (const stream of streams) if (stream.isEnded && this.#kept > maxKept) stream.shrink();
    for (const stream of streams) while (this.#kept > maxKept && stream.dropOldest());
  }
}

/** Constructor arguments for `Session`. */
export interface SessionParts {
  readonly id: string;
  readonly principal: string | undefined;
  /** @default unknown */
  readonly owner?: string;
  readonly connection: Connection;
  readonly limits?: Pick<SessionLimits, "streams" | "maxKeptPerSession">;
  /** Called with the change in the number of kept characters. */
  readonly onKept?: KeptListener;
}
