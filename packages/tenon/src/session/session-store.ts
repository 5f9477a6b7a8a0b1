/**
 * @fileoverview An endpoint's sessions, limited in number and idle time.
 * @module tenon/session/session-store
 */
import { isVisibleTo, readerOf } from "../core/wire/access.js";
import { Connection } from "../core/wire/connection.js";
import { toBase64Url } from "@tenon/internal/base64";
import { ownerOf } from "@tenon/internal/collections/fair-share";
import { parseOptions } from "@tenon/internal/options/define-options";
import type { Ports } from "@tenon/internal/ports";
import { isReachedLimit, type ReachedLimit, type Sessions } from "./sessions.js";
import { Session } from "./session.js";
import { SESSION_LIMITS, type SessionBounds, type SessionLimits } from "./session-limits.js";
import { SessionPlaces } from "./session-places.js";

/** Sessions of one process. */
export class SessionStore implements Sessions {
  readonly #ports: Ports;
  readonly #places: SessionPlaces;
  readonly #limits: SessionLimits;
  readonly #maxCalls: number | undefined;
  readonly #sessions = new Map<string, Session>();
  #kept = 0;
  #stopTimer: (() => void) | undefined;

  /** @param maxCalls maximum number of calls in flight in one session */
  constructor(ports: Ports, bounds: SessionBounds = {}, maxCalls?: number) {
    this.#ports = ports;
    this.#limits = parseOptions(SESSION_LIMITS, bounds);
    this.#places = new SessionPlaces({ ...this.#limits, touch: (session) => this.#touch(session) });
    this.#maxCalls = maxCalls;
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Maximum number of open sessions. */
  get maxSessions(): number {
    return this.#limits.maxSessions;
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
    if (session === undefined || !isVisibleTo(session, readerOf("", principal))) return undefined;
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
    const before = this.#ports.now() - this.#limits.idleMs;
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
    if (change > 0 && this.#kept > this.#limits.maxKept) this.#shrink();
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
      if (this.#kept <= this.#limits.maxKept * 0.75) return;
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
      Math.max(this.#limits.idleMs / 4, 1),
      true,
    );
  }
}
