/**
 * @fileoverview Options for `AgentServer.start` and their defaults.
 * @module agent/socket/options
 */
import type { RequestListener } from "node:http";
import type { Logger } from "tenon";
import { isLoopbackHost, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { toHostSet } from "@tenon/internal/security/origin";
import { isUrl } from "@tenon/internal/security/is-url";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, integer, text, texts } from "@tenon/internal/options/option-rows";
import { showValue } from "@tenon/internal/kind-of";
import { MAX_TIMER } from "../shared/max-timer.js";
import { createDecideAccess, type DecideAccess } from "../users/access.js";
import { type Identify, resolveUsers } from "../users/identify.js";
import type { AgentUsers } from "../users/user.js";
import { type AdmissionRules, createTokenCheck, hashToken } from "./admission.js";

/** Maximum message size that ws supports. */
const MAX_BYTES = 2_147_483_647;

/** Options for `AgentServer.start`. */
export const START_OPTIONS = /* @__PURE__ */ defineOptions("AgentServer.start", {
  /** Port to listen on. 0 picks a free port. @default the configured port */
  port: integer({ min: 0, max: 65_535 }),
  /**
   * Address to listen on. An address that other machines can reach requires `users` or a `token`.
   * @default "127.0.0.1"
   */
  host: text({ default: "127.0.0.1", aliases: ["hostname", "address"] }),
  /**
   * Origins whose pages may connect, such as `https://app.example`. Prevents cross-site WebSocket hijacking.
   * @default every loopback origin, on any port
   */
  allowedOrigins: texts({
    isItem: (item) => toOrigin(item) !== undefined,
    expected: 'an array of origins such as "https://app.example"',
    aliases: ["origins", "allowOrigins", "origin"],
  }),
  /**
   * Token that all clients share. They send it as `Authorization: Bearer <token>`, or in an `authenticate` message. At
   * least 16 characters.
   */
  token: text({
    pattern: /^[\x21-\x7e]{16,4096}$/,
    expected: "16 to 4096 characters long (printable ASCII without spaces)",
    isSecret: true,
  }),
  /**
   * Identifies the user of each connection by a token. Users see only their own tasks.
   * @default every client has access to every task
   */
  users: custom<AgentUsers>(),
  /**
   * Maximum number of connections that have not authenticated yet. At the limit, a new connection takes the place of the
   * one that has waited for a token for the longest time.
   * @default 1000
   */
  maxPending: integer({ default: 1_000, max: 1_000_000 }),
  /**
   * Maximum message size in bytes. A larger message closes the connection with code 1009.
   * @default 1048576
   */
  maxPayload: integer({ default: 1_048_576, max: MAX_BYTES }),
  /**
   * Maximum number of bytes in a client's send queue. One large message does not count. A client that exceeds the limit is
   * disconnected with code 1013.
   * @default 4194304
   */
  maxQueuedBytes: integer({ default: 4_194_304, max: MAX_BYTES }),
  /**
   * Maximum number of bytes in the send queues of all clients together. Bytes that several clients receive count once. At
   * the limit, the client that has not read for the longest time is disconnected with code 1013.
   * @default 67108864
   */
  maxTotalQueuedBytes: integer({ default: 67_108_864, max: Number.MAX_SAFE_INTEGER }),
  /**
   * Maximum number of messages in flight per client. At the limit, the server stops reading from that client.
   * @default 64
   */
  maxInFlight: integer({ default: 64, max: 100_000 }),
  /**
   * Timeout for the WebSocket handshake, and for the token after it, in milliseconds.
   * @default 10000
   */
  handshakeTimeout: integer({ default: 10_000, max: MAX_TIMER }),
  /**
   * Maximum time that `stop` waits for handlers and clients, in milliseconds.
   * @default 5000
   */
  stopTimeout: integer({ default: 5_000, min: 0, max: MAX_TIMER }),
  /** Handles plain HTTP requests on the same port. Without it, they receive status 426. */
  http: callback<RequestListener>(),
  /** Logger for warnings and errors. @default none */
  logger: custom<Logger>(),
});

/** Options for `AgentServer.start`. */
export interface StartOptions extends OptionsOf<typeof START_OPTIONS> {}

/** Address that a server listens on. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** URL for clients, such as `ws://127.0.0.1:10013`. */
  readonly url: string;
}

/** Options with all defaults applied. */
export interface ListenSettings
  extends AdmissionRules, Omit<ParsedOptions<typeof START_OPTIONS>, "port" | keyof AdmissionRules> {
  readonly port: number;
  /** Verifies tokens in `authenticate` messages. `undefined` if clients do not need a token. */
  readonly identify: Identify | undefined;
  /** Decides about access to tasks. */
  readonly decideAccess: DecideAccess;
  readonly maxConnections: number;
  readonly heartbeatInterval: number;
}

/** Settings that come from the server configuration. */
export interface ListenDefaults {
  readonly port: number;
  readonly maxConnections?: number | undefined;
  readonly heartbeatInterval?: number | undefined;
}

/** Combines the configuration, options, and defaults. @throws if an option is invalid */
export function resolveOptions(config: ListenDefaults, options: StartOptions): ListenSettings {
  const { token, users, allowedOrigins, ...settings } = parseOptions(START_OPTIONS, options);
  const { host, port = config.port } = settings;
  const logger = settings.logger && toQuietLogger(settings.logger);
  return {
    ...settings,
    port,
    logger,
    allowedOrigins: allowedOrigins
      ? new Set(allowedOrigins.flatMap((one) => toOrigin(one) ?? []))
      : ownOrigins(host),
    ...resolveAuthentication(host, { token, users }, logger),
    maxConnections: config.maxConnections ?? 10_000,
    heartbeatInterval: config.heartbeatInterval ?? 30_000,
  };
}

function resolveAuthentication(
  host: string,
  { token, users }: Pick<StartOptions, "token" | "users">,
  logger: Logger | undefined,
): Pick<ListenSettings, "token" | "users" | "identify" | "decideAccess"> {
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

/** Returns the default origins: every loopback host, including the host that the server listens on. */
function ownOrigins(host: string): ReadonlySet<string> {
  return toHostSet(isLoopbackHost(host) ? [...LOOPBACK_HOSTS, host] : LOOPBACK_HOSTS);
}

/** Normalizes an origin to the form that browsers send. Returns `undefined` if the text is not an origin. */
function toOrigin(text: string): string | undefined {
  const origin = isUrl(text) ? new URL(text).origin : "null";
  return origin !== "null" && !text.slice(origin.length).replace("/", "") ? origin : undefined;
}
