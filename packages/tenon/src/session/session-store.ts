/**
 * @fileoverview An endpoint's sessions, limited in number and idle time.
 * @module session/session-store
 */
import { Connection } from "../core/wire/connection.js";
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import type { StreamBounds } from "./event-stream.js";
import type { Sessions } from "./sessions.js";
import { DEFAULT_SESSION_LIMITS, Session, type SessionLimits } from "./session.js";

/** Limits on an endpoint's sessions. */
export interface SessionBounds {
  /**
   * Idle time in milliseconds after which a session is closed.
   * @default 1800000 (30 minutes)
   */
  readonly idleMs?: number;
  /**
   * Maximum number of sessions. At the limit, the session that has been idle longest is closed. If none is idle, new
   * sessions are rejected. With a `store`, this limits the sessions with calls or open streams on this node, and the
   * store limits all sessions.
   * @default 10000
   */
  readonly maxSessions?: number;
  /** Limits on the events that each stream keeps for a client that reconnects. */
  readonly streams?: StreamBounds;
  /**
   * Maximum number of characters (one or two bytes each) that one session keeps for resumption, across all its streams.
   * @default 4194304
   */
  readonly maxKeptPerSession?: number;
  /**
   * Maximum number of characters (one or two bytes each) that all sessions together keep for resumption. Beyond this
   * limit, the least recently used sessions lose their kept events.
   * @default 33554432
   */
  readonly maxKept?: number;
}

/** Sessions of one process. */
export class SessionStore implements Sessions {
  readonly #ports: Ports;
  readonly #idleMs: number;
  readonly #maxSessions: number;
  readonly #limits: SessionLimits;
  readonly #maxKept: number;
  readonly #maxCalls: number | undefined;
  readonly #sessions = new Map<string, Session>();
  #uses = 0;
  #kept = 0;
  #stopTimer: (() => void) | undefined;

  /** @param maxCalls maximum number of calls in flight in one session */
  constructor(ports: Ports, bounds: SessionBounds = {}, maxCalls?: number) {
    this.#ports = ports;
    this.#idleMs = bounds.idleMs ?? 30 * 60_000;
    this.#maxSessions = bounds.maxSessions ?? 10_000;
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

  /** Opens a session for a principal. Returns `undefined` if the limit is reached and no session is idle. */
  open(principal: string | undefined): Session | undefined {
    if (this.#sessions.size >= this.#maxSessions && !this.#makeRoom()) return undefined;
    const id = toBase64Url(this.#ports.randomBytes(24));
    const maxCalls = this.#maxCalls;
    const connection = new Connection({ era: "legacy", ...(maxCalls === undefined ? {} : { maxCalls }) });
    const session = new Session({ id, principal, connection, limits: this.#limits, onKept: this.#onKept });
    this.#sessions.set(id, session);
    this.#touch(session);
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
    this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
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
    session.lastUse = ++this.#uses;
  }

  readonly #onKept = (change: number): void => {
    this.#kept += change;
    if (change > 0 && this.#kept > this.#maxKept) this.#shrink();
  };

  /** Frees a quarter of `maxKept`, so that the next event does not have to scan all sessions again. */
  #shrink(): void {
    const sessions = [...this.#sessions.values()].filter(({ kept }) => kept > 0);
    for (const session of sessions.toSorted((a, b) => a.lastUse - b.lastUse)) {
      if (this.#kept <= this.#maxKept * 0.75) return;
      session.shrink();
    }
  }

  /**
   * Closes the session that has been idle longest. Returns false if none is idle. The scan runs only at the limit,
   * because keeping sessions sorted would slow down every request.
   */
  #makeRoom(): boolean {
    let oldest: Session | undefined;
    for (const session of this.#sessions.values()) {
      if (session.isIdle && session.lastUse < (oldest?.lastUse ?? Infinity)) oldest = session;
    }
    if (oldest !== undefined) this.end(oldest.id);
    return oldest !== undefined;
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
