/**
 * @fileoverview An endpoint's sessions, limited in number and idle time.
 * @module session/session-store
 */
import { Connection } from "../core/wire/connection.js";
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import type { StreamBounds } from "./event-stream.js";
import { DEFAULT_MAX_PER_PRINCIPAL, ownerOf } from "./owner.js";
import { isReachedLimit, type ReachedLimit, type Sessions } from "./sessions.js";
import { DEFAULT_SESSION_LIMITS, Session, type SessionLimits } from "./session.js";
import { SessionPlaces } from "./session-places.js";

/** Limits on an endpoint's sessions. */
export interface SessionBounds {
  /**
   * Idle time in milliseconds after which a session is closed.
   * @default 1800000 (30 minutes)
   */
  readonly idleMs?: number;
  /**
   * Maximum number of sessions. At the limit, the principal with the most sessions loses the one that has been idle
   * longest. If none is idle, new sessions are rejected, except the first one of a principal. With a `store`, this limits
   * the sessions with calls or open streams on this node, and the store limits all sessions.
   * @default 10000
   */
  readonly maxSessions?: number;
  /**
   * Maximum number of sessions of one principal, or of one client address if callers have no principal and
   * `trustedProxies` is set. At the limit, a new session replaces the principal's session that has been idle longest. If
   * none is idle, the new session is rejected. With a `store`, the limit applies to all nodes together.
   * @default 1000
   */
  readonly maxSessionsPerPrincipal?: number;
  /** Limits on the events that each stream keeps for a client that reconnects. */
  readonly streams?: StreamBounds;
  /**
   * Maximum number of characters (one or two bytes each) that one session keeps for resumption, across all its streams.
   * @default 4194304
   */
  readonly maxKeptPerSession?: number;
  /**
   * Maximum number of characters (one or two bytes each) that all sessions together keep for resumption. Beyond this
   * limit, the principal that keeps the most loses the kept events of its least recently used sessions first.
   * @default 33554432
   */
  readonly maxKept?: number;
}

/** Sessions of one process. */
export class SessionStore implements Sessions {
  readonly #ports: Ports;
  readonly #idleMs: number;
  readonly #maxSessions: number;
  readonly #places: SessionPlaces;
  readonly #limits: SessionLimits;
  readonly #maxKept: number;
  readonly #maxCalls: number | undefined;
  readonly #sessions = new Map<string, Session>();
  #kept = 0;
  #stopTimer: (() => void) | undefined;

  /** @param maxCalls maximum number of calls in flight in one session */
  constructor(ports: Ports, bounds: SessionBounds = {}, maxCalls?: number) {
    this.#ports = ports;
    this.#idleMs = bounds.idleMs ?? 30 * 60_000;
    this.#maxSessions = bounds.maxSessions ?? 10_000;
    this.#places = new SessionPlaces({
      maxSessions: this.#maxSessions,
      maxSessionsPerPrincipal: bounds.maxSessionsPerPrincipal ?? DEFAULT_MAX_PER_PRINCIPAL,
      touch: (session) => this.#touch(session),
    });
    this.#limits = {
      streams: bounds.streams ?? DEFAULT_SESSION_LIMITS.streams,
      maxKept: bounds.maxKeptPerSession ?? DEFAULT_SESSION_LIMITS.maxKept,
    };
    this.#maxKept = bounds.maxKept ?? 33_554_432;
    this.#maxCalls = maxCalls;
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Maximum number of open sessions. */
  get maxSessions(): number {
    return this.#maxSessions;
  }

  /** Opens a session for a principal, or for an address. Returns the limit if it is reached. */
  open(principal: string | undefined, address?: string): Session | ReachedLimit {
    const owner = ownerOf(principal, address);
    const room = this.#places.findRoom(owner);
    if (isReachedLimit(room)) return room;
    if (room !== undefined) this.end(room.id);
    const id = toBase64Url(this.#ports.randomBytes(24));
    const maxCalls = this.#maxCalls;
    const connection = new Connection({ era: "legacy", ...(maxCalls === undefined ? {} : { maxCalls }) });
    const limits = this.#limits;
    const session = new Session({ id, principal, owner, connection, limits, onKept: this.#onKept });
    this.#sessions.set(id, session);
    this.#touch(session);
    this.#places.add(session);
    this.#watch();
    return session;
  }

  /** Finds a session by ID. Returns `undefined` if a different principal opened it. */
  find(id: string, principal: string | undefined): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== principal) return undefined;
    this.#touch(session);
    return session;
  }

  /** Ends a session. Does nothing if the ID is unknown. */
  end(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    this.#places.remove(session);
    session.close();
  }

  /** Ends every session that has been idle for `idleMs`. */
  sweep(): void {
    const before = this.#ports.now() - this.#idleMs;
    const stale = [...this.#sessions.values()].filter(({ usedAt }) => usedAt <= before);
    for (const session of stale) {
      if (session.isIdle) this.end(session.id);
      else this.#touch(session); // idle time counts from the end of a long call or stream
    }
  }

  /** Ends all sessions and stops the timer. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const id of this.#sessions.keys()) this.end(id);
  }

  #touch(session: Session): void {
    session.usedAt = this.#ports.now();
    session.lastUse = ++this.#places.uses;
  }

  readonly #onKept = (change: number): void => {
    this.#kept += change;
    if (change > 0 && this.#kept > this.#maxKept) this.#shrink();
  };

  /**
   * Frees a quarter of `maxKept`, so that the next event does not have to scan all sessions again. The owner that keeps
   * the most loses its events first.
   */
  #shrink(): void {
    const sessions = [...this.#sessions.values()].filter(({ kept }) => kept > 0);
    const totals = new Map<string, number>();
    for (const { owner, kept } of sessions) totals.set(owner, (totals.get(owner) ?? 0) + kept);
    const totalOf = ({ owner }: Session) => totals.get(owner) ?? 0;
    for (const session of sessions.toSorted((a, b) => totalOf(b) - totalOf(a) || a.lastUse - b.lastUse)) {
      if (this.#kept <= this.#maxKept * 0.75) return;
      session.shrink();
    }
  }

  /** Sweeps periodically while any session is open. */
  #watch(): void {
    this.#stopTimer ??= this.#ports.startTimer(
      () => {
        this.#stopTimer = undefined;
        this.sweep();
        if (this.#sessions.size > 0) this.#watch();
      },
      Math.max(this.#idleMs / 4, 1),
      true,
    );
  }
}
