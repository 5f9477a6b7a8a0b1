/**
 * @fileoverview HTTP endpoint options, with their defaults and checks. A misspelled `authorization` would otherwise
 * leave the endpoint open.
 * @module tenon/transport/http/options
 */
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import {
  callback,
  custom,
  flag,
  integer,
  number,
  object,
  oneOf,
  texts,
} from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { MESSAGE_LIMITS } from "../../protocol/parse.js";
import { SESSION_LIMITS } from "../../session/session-limits.js";
import { isSharedStore, type SharedStore } from "../../stores/shared-store.js";
import type { Authorization } from "./authorization.js";

/** HTTP endpoint options. */
export const HTTP_OPTIONS = /* @__PURE__ */ defineOptions("http", {
  /**
   * Host names that clients use for this endpoint, without ports. Stops DNS rebinding.
   * @default loopback names: localhost, 127.0.0.1, [::1]
   */
  allowedHosts: texts({ aliases: ["hosts"], expected: "an array of host names" }),
  /**
   * Host names or full origins of the sites whose pages may call this endpoint. Stops pages on other sites from calling
   * a local server.
   * @default `allowedHosts`
   */
  allowedOrigins: texts({ aliases: ["origins"], expected: "an array of origins or host names" }),
  /**
   * Origins whose pages may read responses. `"*"` allows every origin.
   * @default none
   */
  corsOrigins: custom<readonly string[] | "*">({
    aliases: ["cors"],
    expected: '"*" or an array of origins',
    accepts: (value) => value === "*" || texts().accepts(value),
  }),
  /**
   * Mode for clients that use a legacy revision: `"stateful"` gives them sessions, `"stateless"` handles each request
   * independently.
   * @default "stateful"
   */
  legacy: oneOf(["stateful", "stateless"], { default: "stateful", aliases: ["stateless"] }),
  /**
   * Also serves MCP's original HTTP+SSE transport, on the paths `/sse` and `/messages`.
   * @default false
   */
  legacySse: flag({ default: false, aliases: ["sse"] }),
  /** Session limits. */
  sessions: object(SESSION_LIMITS, { aliases: ["session", "maxSessions", "maxSessionsPerPrincipal"] }),
  /**
   * Number of proxies in front of this server that append to `X-Forwarded-For`. The limit `maxSessionsPerPrincipal` then
   * applies to the client addresses of callers without a principal. Clients that reach the server without these proxies
   * can forge their address.
   * @default 0: the header is ignored
   */
  trustedProxies: integer({
    min: 0,
    max: 32,
    default: 0,
    aliases: ["proxies", "trustProxy"],
    fix: () => "Set it to the number of proxies in front of the server.",
  }),
  /**
   * Store that several nodes share. Any node then serves any request of a session, and tasks and changes reach all
   * nodes.
   * @default none: sessions and tasks belong to this process
   */
  store: custom<SharedStore>({
    isSecret: true,
    expected: "a shared store",
    accepts: isSharedStore,
    fix: () => "Pass the object that a store package, or `createMemoryStore` from `tenon/stores`, returns.",
  }),
  /** Request body limits. */
  limits: object(MESSAGE_LIMITS, { aliases: ["maxBytes"] }),
  /** Application context for requests whose authentication does not return one. */
  context: custom<unknown>({ aliases: ["ctx"] }),
  /** Identifies the caller with a custom function, before the body is read. */
  authenticate: callback<Authorization["authenticate"]>({ aliases: ["authentication", "middleware"] }),
  /**
   * Identifies the caller according to the MCP specification, and tells clients how to authenticate. Create it with
   * `createAuthorization` from `@tenon/auth`. Cannot be used together with `authenticate`.
   */
  authorization: custom<Authorization>({
    aliases: ["auth", "authorize"],
    expected: "an object with the functions `authenticate` and `challenge`",
    accepts: isAuthorization,
    fix: () => "Create it with `createAuthorization` from `@tenon/auth`.",
  }),
  /**
   * Time in milliseconds after which a call without a result opens its event stream, so that keep-alives can be sent.
   * @default 5000
   */
  streamAfterMs: number({ default: 5_000 }),
  /**
   * Interval between keep-alives in milliseconds.
   * @default 15000
   */
  keepAliveMs: number({ default: 15_000 }),
  /**
   * Reconnect delay for clients whose stream was closed, in milliseconds.
   * @default 1000
   */
  retryMs: number({ default: 1_000 }),
  /**
   * Maximum number of bytes queued for a client that is not reading its stream. Beyond this limit, the client is
   * disconnected.
   * @default 1048576
   */
  maxQueueBytes: number({ default: 1_048_576 }),
  /**
   * Maximum time in milliseconds that a client may go without reading any of its response. After that, the client is
   * disconnected. Large responses are written in chunks of 256 KiB, and each chunk that the client reads counts as
   * progress.
   * @default 30000
   */
  writeTimeoutMs: number({ default: 30_000 }),
  /**
   * Maximum total size of unread responses in bytes. Beyond this limit, clients that have read nothing for one second
   * are disconnected. If every client is reading, the one with the newest response is disconnected. Stops clients that
   * request large responses and do not read them from filling memory.
   * @default 67108864
   */
  maxResponseBytes: number({ default: 64 * 1_048_576 }),
  /**
   * Maximum total size of incomplete request bodies in bytes. Beyond this limit, bodies that have not grown for one
   * second are rejected. If every body is growing, the newest one is rejected. Stops clients that send slowly or never
   * finish from filling memory.
   * @default 67108864
   */
  maxRequestBytes: number({ default: 64 * 1_048_576 }),
  /**
   * Maximum number of calls in flight in one legacy session, and of requests queued on one HTTP connection behind a
   * call in flight. The server's `maxCalls` option limits the calls of all connections together.
   * @default 100
   */
  maxCallsPerConnection: number({ default: 100 }),
  /** Clock, timers, and randomness. Replace them in tests. */
  ports: custom<Partial<Ports>>(),
});

/** HTTP endpoint options for a server with the given context. */
export interface HttpOptions<Context> extends OptionsOf<typeof HTTP_OPTIONS> {
  readonly context?: Context;
  readonly authenticate?: Authorization<Context>["authenticate"] | undefined;
  readonly authorization?: Authorization<Context> | undefined;
}

/** Options with all defaults applied. */
export interface ResolvedHttpOptions<Context> extends Omit<
  ParsedOptions<typeof HTTP_OPTIONS>,
  "corsOrigins" | "context" | "authenticate" | "authorization" | "ports"
> {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  readonly corsOrigins: ReadonlySet<string> | "*" | undefined;
  readonly stateful: boolean;
  readonly context: Context;
  readonly authenticate: Authorization<Context>["authenticate"] | undefined;
  readonly authorization: Authorization<Context> | undefined;
  readonly ports: Ports;
  /** Replies that wait for their calls. */
  readonly unfinished: Set<UnfinishedReply>;
}

/** Reply that waits for its call. */
export interface UnfinishedReply {
  /** Ends the call with an error, because the server stops. */
  giveUp(): void;
}

/** Checks the options and applies the default values. @throws if both `authenticate` and `authorization` are set */
export function resolveHttpOptions<Context>(options: HttpOptions<Context>): ResolvedHttpOptions<Context> {
  const { allowedHosts = LOOPBACK_HOSTS, corsOrigins, authenticate, authorization } = options;
  if (authenticate !== undefined && authorization !== undefined) {
    throw new Error("`authenticate` and `authorization` cannot be used together. Remove one of them.");
  }
  const cors = corsOrigins === "*" || corsOrigins === undefined ? [] : corsOrigins;
  const settings = parseOptions(HTTP_OPTIONS, options);
  return {
    ...settings,
    hosts: toHostSet(allowedHosts),
    origins: new Set([
      ...toHostSet(options.allowedOrigins ?? allowedHosts),
      ...cors.map((origin) => origin.toLowerCase()),
    ]),
    corsOrigins: corsOrigins === "*" || corsOrigins === undefined ? corsOrigins : new Set(corsOrigins),
    stateful: settings.legacy === "stateful",
    context: options.context as Context, // Safe: `undefined` only if the server declares no context
    authenticate: authenticate ?? authorization?.authenticate.bind(authorization),
    authorization,
    ports: withPorts(options.ports),
    unfinished: new Set(),
  };
}

function isAuthorization(value: unknown): boolean {
  const { authenticate, challenge } = (value ?? {}) as { authenticate?: unknown; challenge?: unknown };
  return typeof authenticate === "function" && typeof challenge === "function";
}
