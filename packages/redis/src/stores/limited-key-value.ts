/**
 * @fileoverview Key-value store with a maximum number of keys. A sorted set for each shard contains the expiry times of
 * its records. At the limit, the record that is closest to its expiry makes room for a new one: records in use are
 * touched, so it is the one that was idle longest.
 * @module redis/stores/limited-key-value
 */
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import type { KeyValueStore } from "tenon/stores";
import { runScript, type Script } from "../connection/index.js";
import {
  createVersion,
  type KeyValueParts,
  LUA_COMPARE,
  parseTtl,
  toEntry,
  toExpected,
} from "./key-value.js";

/** Creates a store with a limit. In a Redis Cluster, each shard has an equal part of it. */
export function createLimitedKeyValueStore(
  { link, keys, kind }: KeyValueParts,
  maxKeys: number,
): KeyValueStore {
  const maxPerShard = Math.ceil(maxKeys / keys.shards);
  const place = (key: string) => {
    const { index, member, recordPrefix } = keys.toShardKeys(kind, parseName(key));
    return { record: recordPrefix + member, index, member, recordPrefix };
  };
  return {
    async get(key) {
      const { record } = place(key);
      return toEntry(await link.run((client) => client.get(record), { repeatable: true }));
    },
    async set(key, value, { ttlMs } = {}) {
      const { record, index, member, recordPrefix } = place(key);
      const args = ["", createVersion(), value, parseTtl(ttlMs), member, recordPrefix, maxPerShard];
      await runScript(link, SET, { keys: [record, index], args });
    },
    async compareAndSet(key, expectedVersion, { value, ttlMs }) {
      const { record, index, member, recordPrefix } = place(key);
      const expected = toExpected(expectedVersion);
      const args = [expected, createVersion(), value, parseTtl(ttlMs), member, recordPrefix, maxPerShard];
      const call = { keys: [record, index], args, repeatable: true };
      return (await runScript(link, COMPARE_AND_SET, call)) === 1;
    },
    async delete(key) {
      const { record, index, member } = place(key);
      return (await runScript(link, DELETE, { keys: [record, index], args: [member] })) === 1;
    },
    async touch(key, ttlMs) {
      const { record, index, member } = place(key);
      const args = [member, parseWhole("ttlMs", ttlMs)];
      return (await runScript(link, TOUCH, { keys: [record, index], args, repeatable: true })) === 1;
    },
  };
}

/** Lua code that returns the time in milliseconds. It is the same in the whole script. */
const LUA_NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** Lua code that writes a record and makes room for it. */
const LUA_WRITE = `
local text, ttl, member = ARGV[2] .. ARGV[3], tonumber(ARGV[4]), ARGV[5]
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now())
  redis.call('ZREM', KEYS[2], member)
  local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[7]) + 1
  if excess > 0 then
    local evicted = redis.call('ZPOPMIN', KEYS[2], excess)
    for i = 1, #evicted, 2 do redis.call('DEL', ARGV[6] .. evicted[i]) end
  end
end
if ttl == 0 then
  redis.call('SET', KEYS[1], text)
  redis.call('ZADD', KEYS[2], 'inf', member)
else
  redis.call('SET', KEYS[1], text, 'PX', ttl)
  redis.call('ZADD', KEYS[2], now() + ttl, member)
end
return 1`;

const SET: Script = { name: "tenonLimitedSet", keys: 2, lua: LUA_NOW + LUA_WRITE };

const COMPARE_AND_SET: Script = {
  name: "tenonLimitedCompareAndSet",
  keys: 2,
  lua: LUA_NOW + LUA_COMPARE + LUA_WRITE,
};

const DELETE: Script = {
  name: "tenonLimitedDelete",
  keys: 2,
  mode: "frees",
  lua: `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])`,
};

const TOUCH: Script = {
  name: "tenonLimitedTouch",
  keys: 2,
  mode: "frees",
  lua: `${LUA_NOW}
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], now() + tonumber(ARGV[2]), ARGV[1])
return 1`,
};
