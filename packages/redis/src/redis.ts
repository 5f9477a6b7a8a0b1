/**
 * @fileoverview Shared store on Redis.
 * @module redis/redis
 */
import type { SharedStore } from "tenon/stores";
import {
  checkServer,
  checkWrites,
  createCommandClient,
  createSubscriptionClient,
  createWorkerClient,
  describeAddress,
  Link,
} from "./connection/index.js";
import { createKeyNames } from "./keys.js";
import { parseRedisOptions, type RedisOptions } from "./options.js";
import { RedisBus } from "./stores/bus.js";
import { createEventLog } from "./stores/event-log.js";
import { createKeyValueStore } from "./stores/key-value.js";
import { createRateLimits } from "./stores/rate-limits.js";
import { readSecret } from "./stores/secrets.js";
import { createSessionRecords } from "./stores/session-records.js";
import { createTaskEngines } from "./task-engines.js";

/**
 * Creates a store in Redis or Valkey (version 7 or newer) that all nodes of a server share.
 *
 * @example await serve(server, { store: redis({ url: "redis://127.0.0.1:6379" }) });
 * @throws {TypeError} if an option is unknown or invalid
 */
export function redis(options: RedisOptions): SharedStore {
  const settings = parseRedisOptions(options);
  const isCluster = settings.address.kind === "cluster";
  const name = `Redis at ${describeAddress(settings.address)}`;
  const keys = createKeyNames(settings.prefix, isCluster);
  const linkOptions = { ...settings, name };
  const link = new Link(() => createCommandClient(settings), linkOptions);
  const toChannel = (channel: string) => keys.toKey("bus", channel);
  const createClient = () => createSubscriptionClient(settings);
  const bus = new RedisBus({ ...linkOptions, link, createClient, toChannel, isCluster });
  const tasks = createTaskEngines({
    prefix: settings.prefix,
    link,
    createWorkerClient: () => createWorkerClient(settings),
    bus,
    toChannel,
  });
  const lifetime = createLifetime(link, bus);
  let warnings: (warning: string) => void = () => undefined;

  return {
    name,
    sessions: createSessionRecords({ link, keys, kind: "session" }, settings.maxSessions),
    values: createKeyValueStore({ link, keys, kind: "value" }, settings),
    events: createEventLog({ link, keys, limits: settings.events }),
    bus,
    rateLimits: createRateLimits({ link, keys }),
    async secrets() {
      if (settings.keys !== undefined) return settings.keys;
      warnings(
        `The secret that encrypts the records is stored in ${name}, so a copy of its data is enough to read them. ` +
          "Set `keys` of `redis`, or `state.keys` of the server.",
      );
      return [await readSecret({ link, keys })];
    },
    ...tasks,
    async open(warn) {
      warnings = warn;
      const release = await lifetime.open();
      try {
        await checkServer(link, name, warn);
      } catch (error) {
        await release();
        throw error;
      }
      return release;
    },
    ping: () => checkWrites(link, keys.toKey("ready", "")),
  };
}

/** Opens the connections for the first user, and closes them after the last one. */
function createLifetime(link: Link, bus: RedisBus): { open(): Promise<() => Promise<void>> } {
  let users = 0;
  let opening: Promise<unknown> | undefined;
  const leave = () => {
    users -= 1;
    if (users > 0) return;
    opening = undefined;
    bus.close();
    link.close();
  };
  return {
    async open() {
      users += 1;
      try {
        await (opening ??= link.open().then(() => bus.open()));
      } catch (error) {
        leave();
        throw error;
      }
      let isReleased = false;
      return async () => {
        if (isReleased) return;
        isReleased = true;
        leave();
      };
    },
  };
}
