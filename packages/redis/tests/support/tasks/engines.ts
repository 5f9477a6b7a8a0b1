/**
 * @fileoverview Engines on a real Redis, for tests.
 * @module tests/redis/support/tasks/engines
 */
import { randomBytes } from "node:crypto";
import { systemPorts } from "@tenon/internal/ports";
import type { ContractLimits } from "tenon/testing";
import type { TaskEngineContext } from "tenon/tasks";
import { KeyRing } from "../../../../tenon/src/core/call/key-ring.js";
import { createRecordSealer } from "../../../../tenon/src/core/call/record-sealer.js";
import {
  createCommandClient,
  createSubscriptionClient,
  createWorkerClient,
  Link,
  type RedisClient,
} from "../../../src/connection/index.js";
import { createKeyNames } from "../../../src/keys.js";
import { parseRedisOptions } from "../../../src/options.js";
import { RedisBus } from "../../../src/stores/bus.js";
import { createRedisTaskEngine, type RedisTaskEngine } from "../../../src/tasks/index.js";

/** Secret of the servers in tests. */
export const SECRET = "a secret of the tests with enough bytes";

/** Sealer as servers create it from `state.keys`. */
export function createSealer(secret: string = SECRET): TaskEngineContext["sealer"] {
  return createRecordSealer(new KeyRing(systemPorts, [secret]));
}

/** Engine on its own connections, as on a node of its own. */
export interface TestNode {
  readonly engine: RedisTaskEngine;
  readonly link: Link;
  readonly options: NodeOptions;
  /** Cuts all connections, as if the process had been killed. */
  kill(): Promise<void>;
  /** Closes the engine and its connections. */
  close(): Promise<void>;
}

/** Options for a node. */
export interface NodeOptions {
  /** URL of a single Redis. */
  readonly url?: string;
  /** Nodes of a Redis Cluster. */
  readonly cluster?: readonly { readonly host: string; readonly port: number }[];
  readonly prefix: string;
  readonly limits?: ContractLimits;
  readonly server?: string;
  readonly secret?: string;
}

/** Returns a prefix that no other test uses. */
export function createPrefix(): string {
  return `test-${randomBytes(6).toString("hex")}`;
}

/** Opens a node. */
export async function openNode(options: NodeOptions): Promise<TestNode> {
  const { url, cluster, prefix, limits = {}, server = "contract" } = options;
  const isCluster = cluster !== undefined;
  const settings = parseRedisOptions(isCluster ? { cluster, prefix } : { url: url ?? "", prefix });
  const linkOptions = { ...settings, name: "Redis" };
  const clients: RedisClient[] = [];
  const link = new Link(() => createCommandClient(settings), linkOptions);
  const keys = createKeyNames(prefix, isCluster);
  const toChannel = (name: string) => keys.toKey("bus", name);
  const createClient = () => createSubscriptionClient(settings);
  const bus = new RedisBus({ ...linkOptions, link, createClient, toChannel, isCluster });
  await link.open();
  await bus.open();
  const context = { server, sealer: createSealer(options.secret), limits: { ...LIMITS, ...limits } };
  const engine = createRedisTaskEngine(context, {
    prefix,
    link,
    createWorkerClient() {
      const client = createWorkerClient(settings);
      const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => RedisClient;
      Object.assign(client, {
        duplicate: (...args: unknown[]) => {
          const copy = duplicate(...args);
          clients.push(copy);
          return copy;
        },
      });
      clients.push(client);
      return client;
    },
    bus,
    toChannel,
  });
  const disconnect = () => {
    for (const client of clients) client.disconnect();
    bus.close();
    link.close();
  };
  return {
    engine,
    link,
    options,
    async kill() {
      disconnect();
      await engine.close();
    },
    async close() {
      await engine.close();
      disconnect();
    },
  };
}

/** Default limits. */
export const LIMITS: TaskEngineContext["limits"] = {
  concurrency: 64,
  concurrencyPerPrincipal: 16,
  maxTasks: 10_000,
  maxTasksPerPrincipal: 1_000,
  maxTotalBytes: 256 * 1_048_576,
};
