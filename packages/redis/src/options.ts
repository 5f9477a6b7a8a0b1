/**
 * @fileoverview Options for `redis` and their defaults.
 * @module redis/options
 */
import { kindOf, showValue } from "@tenon/internal/kind-of";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom, integer, object, text } from "@tenon/internal/options/option-rows";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { isUrl } from "@tenon/internal/security/is-url";
import type { ConnectionOptions } from "node:tls";
import { EVENT_LIMITS } from "tenon/host";

/** Address of a Redis Cluster node. */
export interface RedisNode {
  readonly host: string;
  /** @default 6379 */
  readonly port?: number;
}

const REDIS_OPTIONS = /* @__PURE__ */ defineOptions("redis", {
  /**
   * `redis://host:6379/0`, `rediss://…` for TLS, the absolute path of a Unix socket, or the Sentinels of a primary:
   * `redis+sentinel://host:26379,other:26379/name`. May contain credentials.
   */
  url: custom<string>({
    expected: "a URL such as `redis://127.0.0.1:6379`, or the absolute path of a Unix socket",
    accepts: (value) =>
      typeof value === "string" &&
      (value.startsWith("/") || SENTINEL_SCHEME.test(value) || isRedisUrl(value)),
    got: (value) => (typeof value === "string" && value !== "" ? "another text" : kindOf(value)),
    aliases: ["uri"],
  }),
  /** Some nodes of a Redis Cluster. The others are discovered. */
  cluster: custom<readonly RedisNode[]>({
    expected: "an array of nodes",
    accepts: (value) => Array.isArray(value) && value.length > 0,
  }),
  /**
   * Prefix of all keys and channels. Servers with different prefixes can share a Redis.
   * @default tenon
   */
  prefix: text({
    default: "tenon",
    // Braces would change the hash tags of a Redis Cluster.
    pattern: /^[\w.:-]{1,100}$/,
    expected: "1 to 100 letters, digits, and the characters `_ . : -`",
    aliases: ["keyPrefix"],
  }),
  /** User of Redis ACL. Overrides the one in `url`. */
  username: text({ isSecret: true }),
  /** Password. Overrides the one in `url`. */
  password: text({ isSecret: true }),
  /** Password of the Sentinels, if they have one. */
  sentinelPassword: text({ isSecret: true }),
  /**
   * TLS with the defaults of Node.js (`true`) or these options, such as `{ ca }`.
   * @default true for `rediss://`
   */
  tls: custom<boolean | ConnectionOptions>({
    expected: "true, false, or TLS options",
    accepts: (value) => typeof value === "boolean" || (typeof value === "object" && value !== null),
  }),
  /**
   * Secrets of at least 32 bytes that encrypt the records of servers without `state.keys`. The first one encrypts, and
   * all of them decrypt.
   * @default a random secret that is stored in Redis
   */
  keys: custom<readonly (string | Uint8Array)[]>({
    expected: "an array of secrets",
    accepts: (value) => Array.isArray(value) && value.length > 0,
  }),
  /**
   * Maximum number of sessions on all nodes. At the limit, a new session replaces one of the principal with the most
   * sessions: the one that is closest to its expiry, because it was idle longest. In a Redis Cluster, the limit is
   * divided among 64 shards.
   * @default 100000
   */
  maxSessions: integer({ default: 100_000 }),
  /**
   * Maximum number of values of all callers together, such as results of calls with an idempotency key. Each caller has
   * a fair share.
   * @default 1000000
   */
  maxValues: integer({ default: 1_000_000 }),
  /**
   * Maximum memory for the values of all callers together in bytes (estimated). Each caller has a fair share.
   * @default 1073741824 (1 GiB)
   */
  maxValueBytes: integer({ default: 1_073_741_824 }),
  /** Limits for the events of each stream that a client can resume. They set the memory that Redis needs. */
  events: object(EVENT_LIMITS),
  /**
   * Time limit for the first connection in milliseconds.
   * @default 5000
   */
  connectTimeoutMs: integer({ default: 5_000 }),
  /**
   * Time limit in milliseconds for one command, and for its wait for a lost connection before that. Stops requests from
   * accumulating while Redis does not respond.
   * @default 2000
   */
  commandTimeoutMs: integer({ default: 2_000 }),
  /**
   * Maximum number of commands that wait for a response or a connection. Further commands fail immediately.
   * @default 10000
   */
  maxPendingCommands: integer({ default: 10_000 }),
  /**
   * Maximum number of subscriptions to channels on this node.
   * @default 100000
   */
  maxSubscriptions: integer({ default: 100_000 }),
});

/** Options for `redis`. Either `url` or `cluster` is required. All nodes of a server must use the same values. */
export type RedisOptions = OptionsOf<typeof REDIS_OPTIONS>;

/** Options with their defaults, and the address taken apart. */
export interface RedisSettings extends Omit<
  ParsedOptions<typeof REDIS_OPTIONS>,
  "url" | "cluster" | "tls" | "keys"
> {
  readonly address: RedisAddress;
  readonly tls: ConnectionOptions | undefined;
  readonly keys: readonly Uint8Array[] | undefined;
}

/** Address of a Redis, without credentials. */
export type RedisAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly db: number }
  | { readonly kind: "socket"; readonly path: string }
  | {
      readonly kind: "sentinel";
      readonly nodes: readonly Required<RedisNode>[];
      /** Name of the primary that the Sentinels watch. */
      readonly primary: string;
      readonly db: number;
    }
  | { readonly kind: "cluster"; readonly nodes: readonly Required<RedisNode>[] };

const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;

const SENTINEL_SCHEME = /^rediss?\+sentinel:/;

/** Scheme, credentials, hosts, name of the primary, and database number. `URL` rejects several hosts with ports. */
const SENTINEL_URL = /^(rediss?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#\s]+)(?:\/(\d{1,6}))?\/?$/;
const SENTINEL_FORM =
  "redis: a `url` with Sentinels must be `redis+sentinel://user:password@host:26379,other:26379/name/0`. The credentials " +
  "(of Redis, percent-encoded), the ports, and the number of the database are optional. The name of the primary is required.";

const MIN_SECRET_BYTES = 32;

/** Checks the options and sets the defaults. @throws {TypeError} if an option is unknown or invalid */
export function parseRedisOptions(options: RedisOptions): RedisSettings {
  const settings = parseOptions(REDIS_OPTIONS, options);
  const url = parseUrl(options);
  return {
    ...settings,
    address: url?.address ?? parseCluster(options.cluster),
    username: settings.username ?? url?.username,
    password: settings.password ?? url?.password,
    tls: parseTls(options.tls, url?.isTls === true),
    keys: options.keys?.map(parseKey),
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
  if (url.startsWith("/")) {
    return { address: { kind: "socket", path: url }, isTls: false };
  }
  if (SENTINEL_SCHEME.test(url)) return parseSentinels(url);
  const parsed = new URL(url);
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

function parseSentinels(url: string): ParsedUrl {
  const parts = SENTINEL_URL.exec(url);
  if (parts === null) throw new TypeError(SENTINEL_FORM);
  const [, scheme, login = "", hosts = "", primary = "", db = "0"] = parts;
  const nodes = hosts.split(",").map((host) => {
    const node = `redis://${host}`;
    if (!isRedisUrl(node) || new URL(node).port === "0")
      throw new TypeError("redis: every Sentinel in `url` must be a host and a port.");
    const { hostname, port } = new URL(node);
    return {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? DEFAULT_SENTINEL_PORT : Number(port),
    };
  });
  const separator = login.indexOf(":");
  const [username, password] =
    separator < 0 ? [login, ""] : [login.slice(0, separator), login.slice(separator + 1)];
  return {
    address: { kind: "sentinel", nodes, primary: decode(primary), db: Number(db) },
    isTls: scheme === "rediss",
    ...(username === "" ? {} : { username: decode(username) }),
    ...(password === "" ? {} : { password: decode(password) }),
  };
}

function isRedisUrl(text: string): boolean {
  const url = isUrl(text) ? new URL(text) : undefined;
  return url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== "";
}

/** Decodes a credential. One with a bare percent sign is used as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseCluster(nodes: RedisOptions["cluster"]): RedisAddress {
  if (nodes === undefined) throw new TypeError("redis: Set `url` (or `cluster` for a Redis Cluster).");
  return {
    kind: "cluster",
    nodes: nodes.map((node: Partial<RedisNode> | null) => {
      if (typeof node?.host !== "string" || node.host === "")
        throw new TypeError("redis: every node in `cluster` must be an object with a `host`.");
      const { host, port = DEFAULT_PORT } = node;
      if (Number.isSafeInteger(port) && port > 0) return { host, port };
      throw new TypeError(`redis: \`cluster[].port\` must be a positive integer; got ${showValue(port)}.`);
    }),
  };
}

function parseTls(tls: RedisOptions["tls"], isTlsUrl: boolean): ConnectionOptions | undefined {
  if (typeof tls === "object") return tls;
  if (tls === false && isTlsUrl)
    throw new TypeError("redis: `tls` must be true or TLS options for this `url`; got false.");
  return tls === true || isTlsUrl ? {} : undefined;
}

function parseKey(key: unknown): Uint8Array {
  const bytes = typeof key === "string" ? encodeUtf8(key) : key;
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`redis: every key in \`keys\` must be a string or a Uint8Array; got ${kindOf(key)}.`);
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new TypeError(
    `redis: every key in \`keys\` must be at least ${MIN_SECRET_BYTES} bytes long; got ${bytes.length}.`,
  );
}
