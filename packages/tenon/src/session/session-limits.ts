/**
 * @fileoverview Limits on an endpoint's sessions, and on the events that they keep for clients that reconnect.
 * @module tenon/session/session-limits
 */
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { integer, number, object } from "@tenon/internal/options/option-rows";

/** Limits on the events that a stream keeps. */
export const STREAM_LIMITS = /* @__PURE__ */ defineOptions("streams", {
  /**
   * Maximum number of events kept for a client that reconnects.
   * @default 1000
   */
  maxEvents: number({ default: 1_000 }),
  /**
   * Maximum number of characters kept for a client that reconnects. Stops a client from filling memory by staying
   * disconnected. A single event may be longer, within the session's and the endpoint's limits.
   * @default 1048576
   */
  maxLength: number({ default: 1_048_576 }),
});

/** Limits on an endpoint's sessions. */
export const SESSION_LIMITS = /* @__PURE__ */ defineOptions("sessions", {
  /**
   * Idle time in milliseconds after which a session is closed.
   * @default 1800000 (30 minutes)
   */
  idleMs: number({ default: 30 * 60_000 }),
  /**
   * Maximum number of sessions. At the limit, the principal with the most sessions loses the one that has been idle
   * longest. If none is idle, new sessions are rejected, except the first one of a principal. With a `store`, this limits
   * the sessions with calls or open streams on this node, and the store limits all sessions.
   * @default 10000
   */
  maxSessions: integer({ default: 10_000 }),
  /**
   * Maximum number of sessions of one principal, or of one client address if callers have no principal and
   * `trustedProxies` is set. At the limit, a new session replaces the principal's session that has been idle longest. If
   * none is idle, the new session is rejected. With a `store`, the limit applies to all nodes together.
   * @default 1000
   */
  maxSessionsPerPrincipal: integer({ default: 1_000 }),
  /** Limits on the events that each stream keeps for a client that reconnects. */
  streams: object(STREAM_LIMITS),
  /**
   * Maximum number of characters (one or two bytes each) that one session keeps for resumption, across all its streams.
   * @default 4194304
   */
  maxKeptPerSession: number({ default: 4_194_304 }),
  /**
   * Maximum number of characters (one or two bytes each) that all sessions together keep for resumption. Beyond this
   * limit, the principal that keeps the most loses the kept events of its least recently used sessions first.
   * @default 33554432
   */
  maxKept: number({ default: 33_554_432 }),
});

/** Limits on an endpoint's sessions, as a caller sets them. */
export type SessionBounds = OptionsOf<typeof SESSION_LIMITS>;

/** Limits on an endpoint's sessions. */
export type SessionLimits = ParsedOptions<typeof SESSION_LIMITS>;

/** Limits on the events that a stream keeps. */
export type StreamLimits = ParsedOptions<typeof STREAM_LIMITS>;

/** Default session limits. */
export const DEFAULT_SESSION_LIMITS: SessionLimits = /* @__PURE__ */ parseOptions(SESSION_LIMITS, {});
