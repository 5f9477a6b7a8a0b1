import { Redis } from "ioredis";
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { redis } from "@tenon/redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { noRedis } from "./support/fixture.js";

describe.skipIf(noRedis !== undefined)("readiness", { timeout: 60_000 }, () => {
  let primary: RedisServer | undefined;
  beforeAll(async () => {
    primary = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => primary?.stop());

  /** Serves on a Redis, and returns functions that read its readiness and the metric of its store. */
  async function start(url: string) {
    const server = defineServer({ name: "ready", version: "1.0.0", log: () => undefined });
    const store = redis({ url, prefix: "ready", commandTimeoutMs: 500, keys: ["k".repeat(32)] });
    const running = await serve(server, { port: 0, store, metrics: true, banner: false, signals: false });
    onTestFinished(() => running.close());
    const readiness = async () => {
      const { status, headers } = await fetch(new URL("/readyz", running.url));
      return { status, retryAfter: headers.get("retry-after") };
    };
    const isUp = async () => {
      const text = await (await fetch(new URL("/metrics", running.url))).text();
      return /^tenon_store_up (\d)$/m.exec(text)?.[1];
    };
    return { readiness, isUp };
  }

  test("fails while Redis is full, and comes back", async () => {
    const url = primary?.url ?? "";
    const { readiness, isUp } = await start(url);
    expect(await readiness()).toEqual({ status: 200, retryAfter: null });
    const administrator = new Redis(url);
    onTestFinished(() => administrator.disconnect());
    // A limit below the memory in use. Memory that is only nearly full can be freed again by Redis itself.
    await administrator.config("SET", "maxmemory", "1");
    await expect.poll(readiness).toEqual({ status: 503, retryAfter: "1" });
    expect(await isUp()).toBe("0");
    await administrator.config("SET", "maxmemory", "0");
    await expect.poll(readiness).toEqual({ status: 200, retryAfter: null });
    expect(await isUp()).toBe("1");
  });

  test("fails on a replica, which accepts no writes", async () => {
    const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(primary?.port)] });
    onTestFinished(() => replica.stop());
    const { readiness, isUp } = await start(replica.url);
    expect(await readiness()).toEqual({ status: 503, retryAfter: "1" });
    expect(await isUp()).toBe("0");
  });
});
