/**
 * @fileoverview Decides which session is closed when a limit is reached, so that no caller can close the sessions of
 * others or take all places.
 * @module tenon/session/session-places
 */
import { ANONYMOUS } from "@tenon/internal/collections/fair-share";
import { type OwnerGroup, OwnerRanking } from "@tenon/internal/collections/owner-ranking";
import type { Session } from "./session.js";
import type { ReachedLimit } from "./sessions.js";

/** Limits for sessions, and access to them. */
export interface SessionPlacesParts {
  readonly maxSessions: number;
  readonly maxSessionsPerPrincipal: number;
  /** Marks a session as used now. */
  readonly touch: (session: Session) => void;
}

/** Open sessions by owner. */
export class SessionPlaces {
  /** Sequence number of the last use of any session. */
  uses = 0;
  readonly #parts: SessionPlacesParts;
  readonly #ranking = new OwnerRanking<Session>();
  #size = 0;

  constructor(parts: SessionPlacesParts) {
    this.#parts = parts;
  }

  /** Adds a session that has just been used. */
  add(session: Session): void {
    session.at = session.lastUse;
    this.#ranking.add(session);
    this.#size++;
  }

  /** Removes a session. */
  remove(session: Session): void {
    this.#ranking.remove(session);
    this.#size--;
  }

  /**
   * Returns the session to close for a new one of `owner`, `undefined` if there is room, or the limit that prevents a
   * new session.
   *
   * An owner at its own limit loses its own session. At the limit for all sessions, the owner with the most sessions
   * loses one, and an owner never takes a session from others that have as few as itself. Idle sessions are closed in
   * the order of their last use. A session in use is closed only for an owner that has no session at all.
   */
  findRoom(owner: string): Session | ReachedLimit | undefined {
    const { maxSessions, maxSessionsPerPrincipal } = this.#parts;
    const own = this.#ranking.groupOf(owner);
    const count = own?.records.size ?? 0;
    const check = this.#createCheck();
    if (owner !== ANONYMOUS && count >= maxSessionsPerPrincipal)
      return findIn(own, check) ?? { option: "maxSessionsPerPrincipal", limit: maxSessionsPerPrincipal };
    if (this.#size < maxSessions) return undefined;
    const largest = this.#ranking.largest();
    const idle = this.#ranking.search((group) => (group.records.size > count ? check(group) : undefined));
    const victim = idle ?? findIn(own, check);
    if (victim !== undefined) return victim;
    const isLockedOut = count === 0 && largest !== undefined && largest.records.size > 1;
    const inUse = isLockedOut ? largest.records.first() : undefined;
    return inUse ?? { option: "maxSessions", limit: maxSessions };
  }

  /**
   * Creates a function that checks an owner's least recently used session. It returns the session if it is idle,
   * `"again"` if the session was moved because it has been used since, `"next"` if all sessions of the owner are in use,
   * or `undefined` after too many checks.
   */
  #createCheck(): Check {
    const start = this.uses;
    let inUse = 0;
    return ({ records }) => {
      const session = records.first();
      if (session === undefined || session.at > start) return "next";
      const { isIdle } = session;
      if (isIdle && session.at === session.lastUse) return session;
      if (!isIdle) {
        if (++inUse > MAX_IN_USE) return undefined;
        // Idle time counts from the end of a call or stream.
        this.#parts.touch(session);
      }
      this.#ranking.move(session, session.lastUse);
      return "again";
    };
  }
}

type Check = (group: OwnerGroup<Session>) => Session | "again" | "next" | undefined;

/** Returns an owner's idle session that was used longest ago. */
function findIn(group: OwnerGroup<Session> | undefined, check: Check): Session | undefined {
  if (group === undefined) return undefined;
  let found = check(group);
  while (found === "again") found = check(group);
  return found === "next" ? undefined : found;
}

/**
 * Maximum number of sessions in use that are checked for one new session. They are moved behind the others, so the next
 * new session continues where this one stopped.
 */
const MAX_IN_USE = 256;
