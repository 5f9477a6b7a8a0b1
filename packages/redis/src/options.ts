/**
 * @fileoverview Options for `redis` and their defaults.
 * @module redis/options
 */
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { isUrl } from "@tenon/internal/security/is-url";
import type { ConnectionOptions } from "node:tls";
import type { EventLogLimits } from "tenon/stores";

/** Address of a Redis Cluster node. */
export interface RedisNode {
  readonly host: string;
  /** @default 6379 */
  readonly port?: number;
}

/** Options for `redis`. Either `url` or `cluster` is required. All nodes of a server must use the same values. */
export interface RedisOptions {
  /** `redis://host:6379/0`, `rediss://…` for TLS, or the absolute path of a Unix socket. May contain credentials. */
  readonly url?: string;
  /** Some nodes of a Redis Cluster. The others are discovered. */
  readonly cluster?: readonly RedisNode[];
  /**
   * Prefix of all keys and channels. Servers with different prefixes can share a Redis.
   * @default tenon
   */
  readonly prefix?: string;
  /** User of Redis ACL. Overrides the one in `url`. */
  readonly username?: string;
  /** Password. Overrides the one in `url`. */
  readonly password?: string;
  /**
   * TLS with the defaults of Node.js (`true`) or these options, such as `{ ca }`.
   * @default true for `rediss://`
   */
  readonly tls?: boolean | ConnectionOptions;
  /**
   * Secrets of at least 32 bytes that encrypt the records of servers without `state.keys`. The first one encrypts, and
   * all of them decrypt.
   * @default a random secret that is stored in Redis
   */
  readonly keys?: readonly (string | Uint8Array)[];
  /**
   * Maximum number of sessions on all nodes. At the limit, a new session replaces one of the principal with the most
   * sessions: the one that is closest to its expiry, because it was idle longest. In a Redis Cluster, the limit is
   * divided among 64 shards.
   * @default 100000
   */
  readonly maxSessions?: number;
  /** Limits for the events of each stream that a client can resume. They set the memory that Redis needs. */
  readonly events?: EventLogLimits;
  /**
   * Time limit for the first connection in milliseconds.
   * @default 5000
   */
  readonly connectTimeoutMs?: number;
  /**
   * Time limit in milliseconds for one command, and for its wait for a lost connection before that. Stops requests from
   * accumulating while Redis does not respond.
   * @default 2000
   */
  readonly commandTimeoutMs?: number;
  /**
   * Maximum number of commands that wait for a response or a connection. Further commands fail immediately.
   * @default 10000
   */
  readonly maxPendingCommands?: number;
  /**
   * Maximum number of subscriptions to channels on this node.
   * @default 100000
   */
  readonly maxSubscriptions?: number;
}

/** Options with their defaults, and the address taken apart. */
export interface RedisSettings {
  readonly address: RedisAddress;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: ConnectionOptions | undefined;
  readonly prefix: string;
  readonly keys: readonly Uint8Array[] | undefined;
  readonly maxSessions: number;
  readonly events: Required<EventLogLimits>;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly maxPendingCommands: number;
  readonly maxSubscriptions: number;
}

/** Address of a Redis, without credentials. */
export type RedisAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly db: number }
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "cluster"; readonly nodes: readonly Required<RedisNode>[] };

const NAMES: OptionNames<RedisOptions> = {
  url: true,
  cluster: true,
  prefix: true,
  username: true,
  password: true,
  tls: true,
  keys: true,
  maxSessions: true,
  events: true,
  connectTimeoutMs: true,
  commandTimeoutMs: true,
  maxPendingCommands: true,
  maxSubscriptions: true,
};

const EVENT_NAMES: OptionNames<EventLogLimits> = { maxEvents: true, maxBytes: true, ttlMs: true };

const DEFAULT_PORT = 6379;
const MIN_SECRET_BYTES = 32;

/** Checks the options and sets the defaults. @throws {TypeError} if an option is unknown or invalid */
export function parseRedisOptions(options: RedisOptions): RedisSettings {
  assertKnownOptions(options, { label: "redis", names: NAMES, aliases: { uri: "url", keyPrefix: "prefix" } });
  const url = parseUrl(options);
  return {
    address: url?.address ?? parseCluster(options.cluster),
    username: parseText("username", options.username) ?? url?.username,
    password: parseText("password", options.password) ?? url?.password,
    tls: parseTls(options.tls, url?.isTls === true),
    prefix: parsePrefix(options.prefix),
    keys: parseKeys(options.keys),
    maxSessions: parseCount("maxSessions", options.maxSessions, 100_000),
    events: parseEvents(options.events),
    connectTimeoutMs: parseCount("connectTimeoutMs", options.connectTimeoutMs, 5_000),
    commandTimeoutMs: parseCount("commandTimeoutMs", options.commandTimeoutMs, 2_000),
    maxPendingCommands: parseCount("maxPendingCommands", options.maxPendingCommands, 10_000),
    maxSubscriptions: parseCount("maxSubscriptions", options.maxSubscriptions, 100_000),
  };
}

interface ParsedUrl {
  readonly address: RedisAddress;
  readonly isTls: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** Takes the URL apart. Error messages never contain it, because it may contain a password. */
function parseUrl({ url, cluster }: RedisOptions): ParsedUrl | undefined {
  if (url === undefined) return undefined;
  if (cluster !== undefined)
    throw new TypeError("redis: `url` and `cluster` exclude each other. Remove one of them.");
  if (typeof url === "string" && url.startsWith("/")) {
    return { address: { kind: "socket", path: url }, isTls: false };
  }
  const parsed = typeof url === "string" && isUrl(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "") {
    throw new TypeError(
      "redis: `url` must be a URL such as `redis://127.0.0.1:6379`, or the absolute path of a Unix socket; " +
        `got ${typeof url === "string" && url !== "" ? "another text" : kindOf(url)}.`,
    );
  }
  if (parsed.search !== "")
    throw new TypeError("redis: `url` must not contain a query. Pass the options of `redis` instead.");
  const db = parsed.pathname === "" || parsed.pathname === "/" ? "0" : parsed.pathname.slice(1);
  if (!/^\d{1,6}$/.test(db))
    throw new TypeError(`redis: the path of \`url\` must be a database number; got ${showValue(db)}.`);
  const host = parsed.hostname.replace(/^\[|\]$/g, "");
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  return {
    address: { kind: "tcp", host, port, db: Number(db) },
    isTls: parsed.protocol === "rediss:",
    ...(parsed.username === "" ? {} : { username: decode(parsed.username) }),
    ...(parsed.password === "" ? {} : { password: decode(parsed.password) }),
  };
}

/** Decodes a credential. One with a bare percent sign is used as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseCluster(nodes: unknown): RedisAddress {
  if (nodes === undefined) throw new TypeError("redis: Set `url` (or `cluster` for a Redis Cluster).");
  if (!Array.isArray(nodes) || nodes.length === 0)
    throw new TypeError(`redis: \`cluster\` must be an array of nodes; got ${kindOf(nodes)}.`);
  return {
    kind: "cluster",
    nodes: nodes.map((node: Partial<RedisNode> | null) => {
      if (typeof node?.host !== "string" || node.host === "")
        throw new TypeError("redis: every node in `cluster` must be an object with a `host`.");
      return { host: node.host, port: parseCount("cluster[].port", node.port, DEFAULT_PORT) };
    }),
  };
}

function parseText(name: string, text: unknown): string | undefined {
  if (text === undefined || (typeof text === "string" && text !== "")) return text;
  throw new TypeError(`redis: \`${name}\` must be a non-empty string; got ${kindOf(text)}.`);
}

function parseTls(tls: unknown, isTlsUrl: boolean): ConnectionOptions | undefined {
  if (tls === undefined || tls === true) return tls === true || isTlsUrl ? {} : undefined;
  if (tls === false && !isTlsUrl) return undefined;
  if (typeof tls === "object" && tls !== null) return tls;
  throw new TypeError(`redis: \`tls\` must be true or TLS options for this \`url\`; got ${showValue(tls)}.`);
}

/** Checks the prefix. Braces would change the hash tags of a Redis Cluster. */
function parsePrefix(prefix: unknown = "tenon"): string {
  if (typeof prefix === "string" && /^[\w.:-]{1,100}$/.test(prefix)) return prefix;
  throw new TypeError(
    "redis: `prefix` must be 1 to 100 letters, digits, and the characters `_ . : -`; " +
      `got ${showValue(prefix)}.`,
  );
}

function parseKeys(keys: unknown): readonly Uint8Array[] | undefined {
  if (keys === undefined) return undefined;
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError(`redis: \`keys\` must be an array of secrets; got ${kindOf(keys)}.`);
  return keys.map((key: unknown) => {
    const bytes = typeof key === "string" ? encodeUtf8(key) : key;
    if (!(bytes instanceof Uint8Array))
      throw new TypeError(
        `redis: every key in \`keys\` must be a string or a Uint8Array; got ${kindOf(key)}.`,
      );
    if (bytes.length >= MIN_SECRET_BYTES) return bytes;
    throw new TypeError(
      `redis: every key in \`keys\` must be at least ${MIN_SECRET_BYTES} bytes long; got ${bytes.length}.`,
    );
  });
}

function parseEvents(limits: EventLogLimits = {}): Required<EventLogLimits> {
  assertKnownOptions(limits, { label: "redis: events", names: EVENT_NAMES });
  return {
    maxEvents: parseCount("events.maxEvents", limits.maxEvents, 1_000),
    maxBytes: parseCount("events.maxBytes", limits.maxBytes, 4 * 1024 * 1024),
    ttlMs: parseCount("events.ttlMs", limits.ttlMs, 3_600_000),
  };
}

function parseCount(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`redis: \`${name}\` must be a positive integer; got ${showValue(value)}.`);
}
