/**
 * @fileoverview Copies the keys of a prefix from a Redis to JSON, and back.
 * @module tests/redis/support/versions/dump
 */
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";

/** Keys with their types and contents, without lifetimes. */
export type RedisDump = Readonly<Record<string, { readonly type: string; readonly value: unknown }>>;

/** Content of a fixture. */
export interface Fixture {
  /** IDs that the clients know. */
  readonly client: {
    readonly session: string;
    readonly lastUpdate: string;
    readonly lastCount: string;
    readonly lastHang: string;
    readonly payment: unknown;
    readonly requestState: string;
    readonly tasks: Readonly<Record<"quick" | "greet" | "report" | "careful", string>>;
  };
  readonly keys: RedisDump;
}

/** Reads a fixture. */
export function readFixture(name: string): Fixture {
  // Safe: `write-redis.ts` wrote the file.
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8")) as Fixture;
}

/** Reads all keys that start with a prefix, except signs of life and locks, which expire soon. */
export async function dumpRedis(redis: Redis, prefix: string): Promise<RedisDump> {
  const names = (await redis.keys(`${prefix}:*`)).toSorted();
  const entries = names.map(async (name) => {
    const [type, ttl] = await Promise.all([redis.type(name), redis.pttl(name)]);
    const isShort = ttl >= 0 && ttl < 60_000;
    return isShort ? [] : ([[name, { type, value: await readKey(redis, name, type) }]] as const);
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

async function readKey(redis: Redis, name: string, type: string): Promise<unknown> {
  switch (type) {
    case "string":
      return redis.get(name);
    case "hash":
      return redis.hgetall(name);
    case "set":
      return (await redis.smembers(name)).toSorted();
    case "zset":
      return redis.zrange(name, "0", "-1", "WITHSCORES");
    case "list":
      return redis.lrange(name, 0, -1);
    case "stream":
      return redis.xrange(name, "-", "+");
    default:
      throw new Error(`Unknown type of key: ${type}`);
  }
}

/** Writes keys under a different prefix. The old one is in names of keys only, never in contents. */
export async function restoreRedis(redis: Redis, dump: RedisDump, prefix: string): Promise<void> {
  for (const [name, { type, value }] of Object.entries(dump)) {
    const key = `${prefix}${name.slice(name.indexOf(":"))}`;
    await writeKey(redis, key, { type, value });
  }
}

async function writeKey(
  redis: Redis,
  key: string,
  { type, value }: { readonly type: string; readonly value: unknown },
): Promise<void> {
  const texts = value as readonly string[]; // Safe: `readKey` read it, here and below
  if (type === "string") await redis.set(key, value as string);
  else if (type === "hash") await redis.hset(key, value as Record<string, string>);
  else if (type === "set") await redis.sadd(key, ...texts);
  else if (type === "list") await redis.rpush(key, ...texts);
  else if (type === "zset")
    for (let index = 0; index < texts.length; index += 2)
      await redis.zadd(key, texts[index + 1] ?? "", texts[index] ?? "");
  else
    for (const [id, fields] of value as readonly (readonly [string, readonly string[]])[])
      await redis.xadd(key, id, ...fields);
}
