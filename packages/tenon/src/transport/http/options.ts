/**
 * @fileoverview HTTP endpoint options and their defaults.
 * @module transport/http/options
 */
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { DEFAULT_LIMITS, type MessageLimits } from "../../protocol/index.js";
import type { SessionBounds } from "../../session/session-store.js";
import type { SharedStore } from "../../stores/shared-store.js";
import type { Authorization } from "./authorization.js";

/** HTTP endpoint options. */
export interface HttpOptions<Context> {
  /**
   * Host names that clients use for this endpoint, without ports. Stops DNS rebinding.
   * @default loopback names: localhost, 127.0.0.1, [::1]
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Host names or full origins of the sites whose pages may call this endpoint. Stops pages on other sites from calling
   * a local server.
   * @default `allowedHosts`
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Origins whose pages may read responses. `"*"` allows every origin.
   * @default none
   */
  readonly corsOrigins?: readonly string[] | "*";
  /**
   * Mode for clients that use a legacy revision: `"stateful"` gives them sessions, `"stateless"` handles each request
   * independently.
   * @default "stateful"
   */
  readonly legacy?: "stateful" | "stateless";
  /**
   * Also serves MCP's original HTTP+SSE transport, on the paths `/sse` and `/messages`.
   * @default false
   */
  readonly legacySse?: boolean;
  /** Session limits. */
  readonly sessions?: SessionBounds;
  /**
   * Number of proxies in front of this server that append to `X-Forwarded-For`. The limit `maxSessionsPerPrincipal` then
   * applies to the client addresses of callers without a principal. Clients that reach the server without these proxies
   * can forge their address.
   * @default 0: the header is ignored
   */
  readonly trustedProxies?: number;
  /**
   * Store that several nodes share. Any node then serves any request of a session, and tasks and changes reach all
   * nodes. Create it with `redis` from `@tenon/redis`.
   * @default none: sessions and tasks belong to this process
   */
  readonly store?: SharedStore;
  /** Request body limits. */
  readonly limits?: Partial<MessageLimits>;
  /** Application context for requests whose authentication does not return one. */
  readonly context?: Context;
  /** Identifies the caller with a custom function, before the body is read. */
  readonly authenticate?: Authorization<Context>["authenticate"];
  /**
   * Identifies the caller according to the MCP specification, and tells clients how to authenticate. Create it with
   * `createAuthorization` from `@tenon/auth`. Cannot be used together with `authenticate`.
   */
  readonly authorization?: Authorization<Context>;
  /**
   * Time in milliseconds after which a call without a result opens its event stream, so that keep-alives can be sent.
   * @default 5000
   */
  readonly streamAfterMs?: number;
  /**
   * Interval between keep-alives in milliseconds.
   * @default 15000
   */
  readonly keepAliveMs?: number;
  /**
   * Reconnect delay for clients whose stream was closed, in milliseconds.
   * @default 1000
   */
  readonly retryMs?: number;
  /**
   * Maximum number of bytes queued for a client that is not reading its stream. Beyond this limit, the client is
   * disconnected.
   * @default 1048576
   */
  readonly maxQueueBytes?: number;
  /**
   * Maximum time in milliseconds that a client may go without reading any of its response. After that, the client is
   * disconnected. Large responses are written in chunks of 256 KiB, and each chunk that the client reads counts as
   * progress.
   * @default 30000
   */
  readonly writeTimeoutMs?: number;
  /**
   * Maximum total size of unread responses in bytes. Beyond this limit, clients that have read nothing for one second
   * are disconnected. If every client is reading, the one with the newest response is disconnected. Stops clients that
   * request large responses and do not read them from filling memory.
   * @default 67108864
   */
  readonly maxResponseBytes?: number;
  /**
   * Maximum total size of incomplete request bodies in bytes. Beyond this limit, bodies that have not grown for one
   * second are rejected. If every body is growing, the newest one is rejected. Stops clients that send slowly or never
   * finish from filling memory.
   * @default 67108864
   */
  readonly maxRequestBytes?: number;
  /**
   * Maximum number of calls in flight in one legacy session, and of requests queued on one HTTP connection behind a
   * call in flight. The server's `maxCalls` option limits the calls of all connections together.
   * @default 100
   */
  readonly maxCallsPerConnection?: number;
  /** Clock, timers, and randomness. Replace them in tests. */
  readonly ports?: Partial<Ports>;
}

/** Options with all defaults applied. */
export interface ResolvedHttpOptions<Context> {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  readonly corsOrigins: ReadonlySet<string> | "*" | undefined;
  readonly stateful: boolean;
  readonly legacySse: boolean;
  readonly sessions: SessionBounds;
  readonly trustedProxies: number;
  readonly store: SharedStore | undefined;
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

/** Applies the default values. @throws if both `authenticate` and `authorization` are set */
export function resolveHttpOptions<Context>(options: HttpOptions<Context>): ResolvedHttpOptions<Context> {
  const { allowedHosts = LOOPBACK_HOSTS, corsOrigins, authenticate, authorization } = options;
  if (authenticate !== undefined && authorization !== undefined) {
    throw new Error("`authenticate` and `authorization` cannot be used together. Remove one of them.");
  }
  const cors = corsOrigins === "*" || corsOrigins === undefined ? [] : corsOrigins;
  return {
    hosts: toHostSet(allowedHosts),
    origins: new Set([...toHostSet(options.allowedOrigins ?? allowedHosts), ...cors.map(toLowerCase)]),
    corsOrigins: corsOrigins === "*" || corsOrigins === undefined ? corsOrigins : new Set(corsOrigins),
    stateful: (options.legacy ?? "stateful") === "stateful",
    legacySse: options.legacySse ?? false,
    sessions: options.sessions ?? {},
    trustedProxies: options.trustedProxies ?? 0,
    store: options.store,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    context: options.context as Context, // Safe: `undefined` only if the server declares no context
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
