/**
 * @fileoverview Creates clients for a Redis or a Redis Cluster. None of them sends a command twice: the reply to a lost
 * command is unknown, and most commands must not run again.
 * @module redis/connection/clients
 */
import { Cluster, Redis, type RedisOptions } from "ioredis";
import type { RedisAddress, RedisSettings } from "../options.js";

/** Client for a single Redis or a Redis Cluster. */
export type RedisClient = Redis | Cluster;

type ClientOptions = Omit<RedisOptions, "replyMapping">;

/** Maximum time between two attempts to connect in milliseconds. Service is back soon after Redis is. */
const MAX_RECONNECT_DELAY_MS = 500;

/** Time after which a worker's connection counts as lost in milliseconds. */
const WORKER_SOCKET_TIMEOUT_MS = 5_000;

/** Returns the address for messages, without credentials. */
export function describeAddress(address: RedisAddress): string {
  if (address.kind === "socket") return address.path;
  if (address.kind === "tcp") return toHostAndPort(address);
  if (address.kind === "sentinel")
    return `${address.primary} (Sentinels: ${address.nodes.map(toHostAndPort).join(", ")})`;
  return address.nodes.map(toHostAndPort).join(", ");
}

/**
 * Creates the client for commands. A command fails if its reply does not arrive in time, or if the connection is lost
 * before it arrives. Connects with `connect()` or the first command.
 */
export function createCommandClient(settings: RedisSettings): RedisClient {
  return createClient(settings, {
    ...toTimeouts(settings),
    // Rejects all commands when a connection is lost, instead of sending them again.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // `Link` waits for a Redis that still loads its data. The check would also require the permission for INFO.
    enableReadyCheck: false,
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  });
}

/**
 * Creates a client for BullMQ's workers, whose commands wait as long as necessary. Their blocking commands end after two
 * seconds, so a connection that stays silent for longer is replaced by a new one.
 */
export function createWorkerClient(settings: RedisSettings): RedisClient {
  return createClient(settings, { maxRetriesPerRequest: null, socketTimeout: WORKER_SOCKET_TIMEOUT_MS });
}

/**
 * Creates the client for subscriptions. It has one connection, also to a Redis Cluster: every node forwards messages to
 * all others. After a lost connection, it connects to the next known node.
 */
export function createSubscriptionClient(settings: RedisSettings): Redis {
  const { address } = settings;
  const options = toRedisOptions(settings, {
    ...toTimeouts(settings),
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    enableReadyCheck: false,
  });
  if (address.kind !== "cluster") return new Redis({ ...options, ...toTarget(address) });
  const { nodes } = address;
  const client: Redis = new Redis({
    ...options,
    ...nodes[0],
    retryStrategy: (times) => {
      // ioredis reads the address from its options for every connection.
      Object.assign(client.options, nodes[times % nodes.length]);
      return toReconnectDelay(times);
    },
  });
  return client;
}

function createClient(settings: RedisSettings, special: ClientOptions): RedisClient {
  const { address } = settings;
  const options = toRedisOptions(settings, special);
  if (address.kind !== "cluster") return new Redis({ ...options, ...toTarget(address) });
  const { retryStrategy: _, ...redisOptions } = options;
  return new Cluster([...address.nodes], {
    redisOptions,
    lazyConnect: true,
    clusterRetryStrategy: toReconnectDelay,
    slotsRefreshTimeout: settings.commandTimeoutMs,
    // Zero turns off that commands are sent again after a lost connection.
    retryDelayOnFailover: 0,
  });
}

function toRedisOptions(settings: RedisSettings, special: ClientOptions): ClientOptions {
  const { username, password, sentinelPassword, tls } = settings;
  return {
    lazyConnect: true,
    connectionName: "tenon",
    disableClientInfo: true,
    connectTimeout: settings.connectTimeoutMs,
    retryStrategy: toReconnectDelay,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    ...special,
  };
}

/** Returns the time limits. A connection that stays silent although commands wait is replaced by a new one. */
function toTimeouts({ commandTimeoutMs }: RedisSettings): ClientOptions {
  return { commandTimeout: commandTimeoutMs, socketTimeout: 2 * commandTimeoutMs };
}

function toTarget(address: Exclude<RedisAddress, { kind: "cluster" }>): ClientOptions {
  if (address.kind === "socket") return { path: address.path };
  if (address.kind === "sentinel") {
    const { nodes, primary, db } = address;
    return { sentinels: [...nodes], name: primary, db, sentinelRetryStrategy: toReconnectDelay };
  }
  return { host: address.host, port: address.port, db: address.db };
}

/** Returns the delay before the next attempt. The random part keeps the nodes from connecting at the same moment. */
function toReconnectDelay(times: number): number {
  return Math.min(25 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY_MS) * (0.5 + Math.random() / 2);
}

function toHostAndPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
