/**
 * @fileoverview Key-value stores on Redis strings. A string consists of the version, which has a fixed length, and the
 * value. The caller generates the version, so it never repeats, even after a deletion or a restart of Redis.
 * @module redis/stores/key-value
 */
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { randomBytes } from "node:crypto";
import type { KeyValueStore, NewValue } from "tenon/stores";
import { type Link, runScript, type Script } from "../connection/index.js";
import type { KeyNames } from "../keys.js";
import { type ValueLimits, ValueShares } from "./value-shares.js";

/** Parts of a key-value store. */
export interface KeyValueParts {
  readonly link: Link;
  readonly keys: KeyNames;
  /** Part of the keys that separates this store from others. */
  readonly kind: string;
}

/** Length of a version in characters. */
export const VERSION_LENGTH = 16;

/** Creates a store. Values with an owner have limits, and others are limited only by the memory of Redis. */
export function createKeyValueStore({ link, keys, kind }: KeyValueParts, limits: ValueLimits): KeyValueStore {
  const shares = new ValueShares(link, keys, limits);
  const toKey = (key: string) => keys.toKey(kind, parseName(key));
  const reserve = async (key: string, { value, ttlMs, owner }: NewValue) => {
    if (owner !== undefined)
      await shares.reserve(key, { owner: parseName(owner), value, ttl: parseTtl(ttlMs) });
  };
  return {
    async get(key) {
      const name = toKey(key);
      return toEntry(await link.run((client) => client.get(name), { repeatable: true }));
    },
    async set(key, value, { ttlMs, owner } = {}) {
      const [name, text, ttl] = [toKey(key), createVersion() + value, parseTtl(ttlMs)];
      await reserve(key, { value, ttlMs, owner });
      // Not repeatable: it could overwrite a newer value.
      await link.run((client) => (ttl === 0 ? client.set(name, text) : client.set(name, text, "PX", ttl)));
    },
    async compareAndSet(key, expectedVersion, replacement) {
      const { value, ttlMs } = replacement;
      const args = [toExpected(expectedVersion), createVersion(), value, parseTtl(ttlMs)];
      const call = { keys: [toKey(key)], args, repeatable: true };
      await reserve(key, replacement);
      return (await runScript(link, COMPARE_AND_SET, call)) === 1;
    },
    async delete(key) {
      const name = toKey(key);
      const [deleted] = await Promise.all([link.run((client) => client.del(name)), shares.release(key)]);
      return deleted === 1;
    },
    async touch(key, ttlMs) {
      const [name, ttl] = [toKey(key), parseWhole("ttlMs", ttlMs)];
      const extend = link.run((client) => client.pexpire(name, ttl), { repeatable: true });
      const [extended] = await Promise.all([extend, shares.touch(key, ttl)]);
      return extended === 1;
    },
  };
}

/** Returns a new version. */
export function createVersion(): string {
  return randomBytes((VERSION_LENGTH * 3) / 4).toString("base64url");
}

/** Splits a string into version and value. */
function toEntry(text: string | null): { value: string; version: string } | undefined {
  if (text === null) return undefined;
  return { value: text.slice(VERSION_LENGTH), version: text.slice(0, VERSION_LENGTH) };
}

/** Converts an expected version for a script, where an empty text means that the key must not exist. */
export function toExpected(version: string | null): string {
  if (version === null) return "";
  return version === "" ? "none" : version;
}

/** Checks a lifetime. Zero stands for an unlimited one. */
export function parseTtl(ttlMs: number | undefined): number {
  return ttlMs === undefined ? 0 : parseWhole("ttlMs", ttlMs);
}

/**
 * Lua code that compares the version of `KEYS[1]` with `ARGV[1]`, which is empty if the key must not exist. If the
 * current version is the one of this write (`ARGV[2]`), the write has succeeded before, and its reply was lost.
 */
const LUA_COMPARE = `
local current = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_LENGTH - 1})
if current == ARGV[2] then return 1 end
if current ~= ARGV[1] then return 0 end
`;

const COMPARE_AND_SET: Script = {
  name: "tenonCompareAndSet",
  keys: 1,
  lua: `${LUA_COMPARE}
local text = ARGV[2] .. ARGV[3]
if ARGV[4] == '0' then redis.call('SET', KEYS[1], text)
else redis.call('SET', KEYS[1], text, 'PX', ARGV[4]) end
return 1`,
};
