/**
 * @fileoverview Settings of an HTTP endpoint, with safe defaults.
 * @module transport/http/options
 */
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { DEFAULT_LIMITS, type MessageLimits } from "../../protocol/index.js";
import type { SessionBounds } from "../../session/session-store.js";
import type { Authorization } from "./authorization.js";

/** The settings of an endpoint. */
export interface HttpOptions<Context> {
  /**
   * The names that this endpoint is reached under, without ports: stops DNS rebinding.
   * @default this machine's own: localhost, 127.0.0.1, [::1]
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The sites whose pages may talk to this endpoint, by host name: stops foreign pages from using a local server.
   * @default the allowed hosts
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Lets browsers of these origins read replies; `"*"` lets all of them. Off unless set.
   * @default none
   */
  readonly corsOrigins?: readonly string[] | "*";
  /**
   * Gives clients of the legacy revisions sessions, or answers each of their requests alone.
   * @default "stateful"
   */
  readonly legacy?: "stateful" | "stateless";
  /**
   * Serves the first HTTP transport of MCP too, on two paths beside the endpoint: `/sse` and `/messages`.
   * @default false
   */
  readonly legacySse?: boolean;
  /** The bounds of sessions. */
  readonly sessions?: SessionBounds;
  /** The bounds of a request's body. */
  readonly limits?: Partial<MessageLimits>;
  /** The application's value for requests that `authenticate` gives none for. */
  readonly context?: Context;
  /** Decides who is calling, before the body is read, by a rule of one's own. */
  readonly authenticate?: Authorization<Context>["authenticate"];
  /** Decides who is calling as MCP has it, and tells clients how to get in; `@tenon/auth` makes one. */
  readonly authorization?: Authorization<Context>;
  /**
   * When a call without a result opens its stream, so that keep-alives can flow.
   * @default 5000
   */
  readonly streamAfterMs?: number;
  /**
   * The time between two keep-alives.
   * @default 15000
   */
  readonly keepAliveMs?: number;
  /**
   * When a client that was let go should come back.
   * @default 1000
   */
  readonly retryMs?: number;
  /**
   * Most bytes that wait for a client that does not read its stream; then it is cut off.
   * @default 1048576
   */
  readonly maxQueueBytes?: number;
  /**
   * Longest time in which a client takes nothing of its response, in milliseconds; then it is disconnected. Large
   * responses are written in slices of 256 KiB, and each slice that was taken counts.
   * @default 30000
   */
  readonly writeTimeoutMs?: number;
  /**
   * Most bytes of all responses that clients have not read yet. Beyond it, clients that have taken nothing for a second
   * are disconnected, or else the client whose response comes last: stops clients that ask for much and read nothing
   * from filling memory.
   * @default 67108864
   */
  readonly maxResponseBytes?: number;
  /**
   * Most bytes of all request bodies that are incomplete. Beyond it, bodies that have not grown for a second are
   * refused, or else the one that came last: stops clients that send slowly, or never finish, from filling memory.
   * @default 67108864
   */
  readonly maxRequestBytes?: number;
  /**
   * Most calls in flight in one legacy session, and most requests that wait on one HTTP connection behind a call that
   * is in flight. `maxCalls` of the server limits the calls of all connections.
   * @default 100
   */
  readonly maxCallsPerConnection?: number;
  /** Clock, timers and randomness, for tests. */
  readonly ports?: Partial<Ports>;
}

/** The settings with nothing left open. */
export interface ResolvedHttpOptions<Context> {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  readonly corsOrigins: ReadonlySet<string> | "*" | undefined;
  readonly stateful: boolean;
  readonly legacySse: boolean;
  readonly sessions: SessionBounds;
  readonly limits: MessageLimits;
  readonly context: Context;
  readonly authenticate: Authorization<Context>["authenticate"] | undefined;
  readonly authorization: Authorization<Context> | undefined;
  readonly streamAfterMs: number;
  readonly keepAliveMs: number;
  readonly retryMs: number;
  readonly maxQueueBytes: number;
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxRequestBytes: number;
  readonly maxCallsPerConnection: number;
  readonly ports: Ports;
}

/** Fills the defaults in. */
export function resolveHttpOptions<Context>(options: HttpOptions<Context>): ResolvedHttpOptions<Context> {
  const { allowedHosts = LOOPBACK_HOSTS, corsOrigins, authenticate, authorization } = options;
  if (authenticate !== undefined && authorization !== undefined) {
    throw new Error("authenticate and authorization both decide who is calling: give one of them");
  }
  const cors = corsOrigins === "*" || corsOrigins === undefined ? [] : corsOrigins;
  return {
    hosts: toHostSet(allowedHosts),
    origins: new Set([...toHostSet(options.allowedOrigins ?? allowedHosts), ...cors.map(toLowerCase)]),
    corsOrigins: corsOrigins === "*" || corsOrigins === undefined ? corsOrigins : new Set(corsOrigins),
    stateful: (options.legacy ?? "stateful") === "stateful",
    legacySse: options.legacySse ?? false,
    sessions: options.sessions ?? {},
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    context: options.context as Context, // what handlers get where nothing was given is their own affair
    authenticate: authenticate ?? authorization?.authenticate.bind(authorization),
    authorization,
    streamAfterMs: options.streamAfterMs ?? 5_000,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    retryMs: options.retryMs ?? 1_000,
    maxQueueBytes: options.maxQueueBytes ?? 1_048_576,
    writeTimeoutMs: options.writeTimeoutMs ?? 30_000,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1_048_576,
    maxRequestBytes: options.maxRequestBytes ?? 64 * 1_048_576,
    maxCallsPerConnection: options.maxCallsPerConnection ?? 100,
    ports: withPorts(options.ports),
  };
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}
