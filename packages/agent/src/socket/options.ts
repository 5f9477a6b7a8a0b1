/**
 * @fileoverview Options for `AmigoServer.start` and their defaults.
 * @module agent/socket/options
 */
import type { RequestListener } from "node:http";
import type { Logger } from "tenon";
import { isLoopbackHost, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import { isUrl } from "@tenon/internal/security/is-url";
import { showValue } from "../shared/show-value.js";
import { createDecideAccess, type DecideAccess } from "../users/access.js";
import { type Identify, resolveUsers } from "../users/identify.js";
import type { AgentUsers } from "../users/user.js";
import { type AdmissionRules, createTokenCheck, hashToken } from "./admission.js";

/** Options for `AmigoServer.start`. */
export interface StartOptions {
  /** Port to listen on. 0 picks a free port. @default the configured port */
  readonly port?: number;
  /**
   * Address to listen on. An address that other machines can reach requires `users` or a `token`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Origins whose pages may connect, such as `https://app.example`. Prevents cross-site WebSocket hijacking.
   * @default every loopback origin, on any port
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Token that all clients share. They send it as `Authorization: Bearer <token>`, or in an `authenticate` message. At
   * least 16 characters.
   */
  readonly token?: string;
  /**
   * Identifies the user of each connection by a token. Users see only their own tasks.
   * @default every client has access to every task
   */
  readonly users?: AgentUsers;
  /**
   * Maximum number of connections that have not authenticated yet. At the limit, a new connection takes the place of the
   * one that has waited for a token for the longest time.
   * @default 1000
   */
  readonly maxPending?: number;
  /**
   * Maximum message size in bytes. A larger message closes the connection with code 1009.
   * @default 1048576
   */
  readonly maxPayload?: number;
  /**
   * Maximum number of bytes in a client's send queue. A client that exceeds the limit is disconnected.
   * @default 4194304
   */
  readonly maxQueuedBytes?: number;
  /**
   * Maximum number of messages in flight per client. At the limit, the server stops reading from that client.
   * @default 64
   */
  readonly maxInFlight?: number;
  /**
   * Timeout for the WebSocket handshake, and for the token after it, in milliseconds.
   * @default 10000
   */
  readonly handshakeTimeout?: number;
  /**
   * Maximum time that `stop` waits for handlers and clients, in milliseconds.
   * @default 5000
   */
  readonly stopTimeout?: number;
  /** Handles plain HTTP requests on the same port. Without it, they receive status 426. */
  readonly http?: RequestListener;
  /** Logger for warnings and errors. @default none */
  readonly logger?: Logger;
}

/** Address that a server listens on. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** URL for clients, such as `ws://127.0.0.1:10013`. */
  readonly url: string;
}

/** Options with all defaults applied. */
export interface ListenSettings extends AdmissionRules {
  readonly port: number;
  readonly host: string;
  /** Verifies tokens in `authenticate` messages. `undefined` if clients do not need a token. */
  readonly identify: Identify | undefined;
  /** Decides about access to tasks. */
  readonly decideAccess: DecideAccess;
  readonly maxPending: number;
  readonly maxConnections: number;
  readonly heartbeatInterval: number;
  readonly maxPayload: number;
  readonly maxQueuedBytes: number;
  readonly maxInFlight: number;
  readonly handshakeTimeout: number;
  readonly stopTimeout: number;
  readonly http: RequestListener | undefined;
  readonly logger: Logger | undefined;
}

/** Settings that come from the server configuration. */
export interface ListenDefaults {
  readonly port: number;
  readonly maxConnections?: number | undefined;
  readonly heartbeatInterval?: number | undefined;
}

/** Combines the configuration, options, and defaults. @throws if an option is invalid */
export function resolveOptions(config: ListenDefaults, options: StartOptions): ListenSettings {
  const { host = "127.0.0.1", allowedOrigins } = options;
  const logger = options.logger && toQuietLogger(options.logger);
  return {
    port: wholeNumber("port", options.port ?? config.port, [0, 65_535]),
    host,
    allowedOrigins: allowedOrigins ? new Set(allowedOrigins.map(toOrigin)) : ownOrigins(host),
    ...resolveAuthentication(host, options, logger),
    maxPending: wholeNumber("maxPending", options.maxPending ?? 1_000, [1, 1_000_000]),
    maxConnections: config.maxConnections ?? 10_000,
    heartbeatInterval: config.heartbeatInterval ?? 30_000,
    maxPayload: wholeNumber("maxPayload", options.maxPayload ?? 1_048_576, [1, MAX_BYTES]),
    maxQueuedBytes: wholeNumber("maxQueuedBytes", options.maxQueuedBytes ?? 4_194_304, [1, MAX_BYTES]),
    maxInFlight: wholeNumber("maxInFlight", options.maxInFlight ?? 64, [1, 100_000]),
    handshakeTimeout: wholeNumber("handshakeTimeout", options.handshakeTimeout ?? 10_000, [1, MAX_TIMER]),
    stopTimeout: wholeNumber("stopTimeout", options.stopTimeout ?? 5_000, [0, MAX_TIMER]),
    http: options.http,
    logger,
  };
}

function resolveAuthentication(
  host: string,
  { token, users }: StartOptions,
  logger: Logger | undefined,
): Pick<ListenSettings, "token" | "users" | "identify" | "decideAccess"> {
  if (token !== undefined && !/^[\x21-\x7e]{16,4096}$/.test(token)) {
    throw new Error("`token` must be 16 to 4096 characters long (printable ASCII without spaces).");
  }
  if (token !== undefined && users !== undefined) throw new Error("Set either `token` or `users`, not both.");
  if (users !== undefined) {
    const resolved = resolveUsers(users, logger);
    const { identify, decideAccess } = resolved;
    return { token: undefined, users: resolved, identify, decideAccess };
  }
  if (token === undefined && !isLoopbackHost(host)) {
    throw new Error(
      `\`host\` ${showValue(host)} can be reached from other machines. Set \`users\` or a \`token\`, or use "127.0.0.1".`,
    );
  }
  const hash = token === undefined ? undefined : hashToken(token);
  const identify = hash && createTokenCheck(hash);
  return { token: hash, users: undefined, identify, decideAccess: createDecideAccess() };
}

/** Wraps a logger so that its exceptions cannot break a connection. */
function toQuietLogger(logger: Logger): Logger {
  const quietly = (level: keyof Logger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // Nothing can be done: the error cannot be logged.
    }
  };
  return { debug: quietly("debug"), info: quietly("info"), warn: quietly("warn"), error: quietly("error") };
}

/** Maximum message size that ws supports. */
const MAX_BYTES = 2_147_483_647;

const MAX_TIMER = 2_147_483_647;

function wholeNumber(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`\`${name}\` must be an integer from ${least} to ${most}; got ${showValue(value)}.`);
}

/** Returns the default origins: every loopback host, including the host that the server listens on. */
function ownOrigins(host: string): ReadonlySet<string> {
  return toHostSet(isLoopbackHost(host) ? [...LOOPBACK_HOSTS, host] : LOOPBACK_HOSTS);
}

/** Normalizes an origin to the form that browsers send. @throws if the text is not an origin */
function toOrigin(text: string): string {
  const origin = isUrl(text) ? new URL(text).origin : "null";
  if (origin !== "null" && !text.slice(origin.length).replace("/", "")) return origin;
  throw new Error(
    `\`allowedOrigins\` must contain origins such as "https://app.example"; got ${showValue(text)}.`,
  );
}
