/**
 * @fileoverview How an agent server listens: what may be said at its start, and what stands where nothing was.
 * @module agent/socket/options
 */
import type { RequestListener } from "node:http";
import type { Logger } from "tenon";
import { isLoopbackHost, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import { type AdmissionRules, hashToken } from "./admission.js";

/** How a server listens. */
export interface StartOptions {
  /** Instead of the configured port; 0 takes any that is free. */
  readonly port?: number;
  /**
   * The address to listen on. One that others can reach needs a `token`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Origins whose pages may connect, such as `https://app.example`: stops pages of other sites.
   * @default every loopback origin, on any port
   */
  readonly allowedOrigins?: readonly string[];
  /** What every client must send as `Authorization: Bearer <token>`; at least 16 characters. */
  readonly token?: string;
  /**
   * Bytes that one message may have; a longer one ends the connection with code 1009.
   * @default 1048576
   */
  readonly maxPayload?: number;
  /**
   * Bytes that may wait for a client that does not read; then it is cut off.
   * @default 4194304
   */
  readonly maxQueuedBytes?: number;
  /**
   * Messages of one client that may be in flight. While there are more, nothing is read from that client.
   * @default 64
   */
  readonly maxInFlight?: number;
  /**
   * Milliseconds for a client to send its request for a connection.
   * @default 10000
   */
  readonly handshakeTimeout?: number;
  /**
   * Milliseconds that a stop waits for handlers and clients.
   * @default 5000
   */
  readonly stopTimeout?: number;
  /** Answers requests on the same port that are no WebSocket, such as those for a page; without it they get 426. */
  readonly http?: RequestListener;
  /** Takes lines for the operator. */
  readonly logger?: Logger;
}

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Such as `ws://127.0.0.1:10013`. */
  readonly url: string;
}

/** How a server listens, with everything said. */
export interface ListenSettings extends AdmissionRules {
  readonly port: number;
  readonly host: string;
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

/** What a server's configuration says of listening. */
export interface ListenDefaults {
  readonly port: number;
  readonly maxConnections?: number | undefined;
  readonly heartbeatInterval?: number | undefined;
}

/** Puts configuration and options together. @throws naming the option that is wrong */
export function resolveOptions(config: ListenDefaults, options: StartOptions): ListenSettings {
  const { host = "127.0.0.1", token, allowedOrigins } = options;
  if (token !== undefined && !/^[\x21-\x7e]{16,4096}$/.test(token)) {
    throw new Error("token must have 16 to 4096 printable ASCII characters");
  }
  if (token === undefined && !isLoopbackHost(host)) {
    throw new Error(`A server on ${host} can be reached by others and needs a token`);
  }
  return {
    port: wholeNumber("port", options.port ?? config.port, [0, 65_535]),
    host,
    allowedOrigins: allowedOrigins ? new Set(allowedOrigins.map(toOrigin)) : ownOrigins(host),
    token: token === undefined ? undefined : hashToken(token),
    maxConnections: config.maxConnections ?? 10_000,
    heartbeatInterval: config.heartbeatInterval ?? 30_000,
    maxPayload: wholeNumber("maxPayload", options.maxPayload ?? 1_048_576, [1, MAX_BYTES]),
    maxQueuedBytes: wholeNumber("maxQueuedBytes", options.maxQueuedBytes ?? 4_194_304, [1, MAX_BYTES]),
    maxInFlight: wholeNumber("maxInFlight", options.maxInFlight ?? 64, [1, 100_000]),
    handshakeTimeout: wholeNumber("handshakeTimeout", options.handshakeTimeout ?? 10_000, [1, MAX_TIMER]),
    stopTimeout: wholeNumber("stopTimeout", options.stopTimeout ?? 5_000, [0, MAX_TIMER]),
    http: options.http,
    logger: options.logger && toQuietLogger(options.logger),
  };
}

/** A logger that throws must not cost a connection. */
function toQuietLogger(logger: Logger): Logger {
  const quietly = (level: keyof Logger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is nobody left to tell.
    }
  };
  return { debug: quietly("debug"), info: quietly("info"), warn: quietly("warn"), error: quietly("error") };
}

/** The largest that ws counts with. */
const MAX_BYTES = 2_147_483_647;

const MAX_TIMER = 2_147_483_647;

function wholeNumber(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}

/** Pages of this machine may connect, under the name that the server listens on too. */
function ownOrigins(host: string): ReadonlySet<string> {
  return toHostSet(isLoopbackHost(host) ? [...LOOPBACK_HOSTS, host] : LOOPBACK_HOSTS);
}

/** The form in which browsers send an origin. */
function toOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null" && !text.slice(origin.length).replace("/", "")) return origin;
  throw new Error(`allowedOrigins must be origins such as https://app.example, not ${JSON.stringify(text)}`);
}
