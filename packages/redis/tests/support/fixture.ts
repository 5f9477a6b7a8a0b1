import { redis, type RedisOptions } from "@tenon/redis";
import { randomUUID } from "node:crypto";
import type { SharedStore } from "tenon/stores";
import { onTestFinished } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../../../tools/fault-proxy.js";
import { findRedis, type RedisServer } from "../../../../tools/redis-server.js";

/** Reason why tests that need Redis cannot run on this machine. */
export const noRedis = await findMissingRedis();

async function findMissingRedis(): Promise<string | undefined> {
  const found = await findRedis();
  if (found.path !== undefined) return undefined;
  process.stderr.write(`Skipped the tests with a real Redis: ${found.reason}\n`);
  return found.reason;
}

/** Store that a test has opened. */
export interface OpenedStore {
  readonly store: SharedStore;
  readonly warnings: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a store. Without `prefix`, it is empty. */
export async function openStore(options: RedisOptions): Promise<OpenedStore> {
  const warnings: string[] = [];
  const store = redis({ prefix: randomUUID(), ...options });
  const close = await store.open((warning) => warnings.push(warning));
  return { store, warnings, close };
}

/** Opens a store that is closed when the test ends. */
export async function openTestStore(options: RedisOptions): Promise<SharedStore> {
  const { store, close } = await openStore(options);
  onTestFinished(close);
  return store;
}

/** Store behind a proxy that fails on demand. */
export interface ProxiedStore {
  readonly store: SharedStore;
  readonly proxy: FaultProxy;
}

/** Opens a store behind a proxy. Both are closed when the test ends. */
export async function openProxiedStore(
  server: RedisServer,
  options: Omit<RedisOptions, "url"> = {},
): Promise<ProxiedStore> {
  const proxy = await startFaultProxy(server);
  onTestFinished(() => proxy.close());
  const store = await openTestStore({ ...options, url: `redis://${proxy.host}:${proxy.port}` });
  return { store, proxy };
}
