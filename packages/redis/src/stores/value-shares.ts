/**
 * @fileoverview Counts the values of owners, so that each has a fair share of the space. The counts have keys of their
 * own, because the values are on all nodes of a Redis Cluster. Space is reserved before a value is written, so counts are
 * never too low for the values of this version, and expire with them.
 *
 * Keys below the root:
 * - `:entries`: size and owner by value. `:expiries`: values by expiry time. `:bytes`: total size
 * - `:counts` and `:sizes`: number and size of values by owner
 * @module redis/stores/value-shares
 */
import { Buffer } from "node:buffer";
import { freeFactorOf } from "@tenon/internal/collections/fair-share";
import { StoreError } from "tenon/stores";
import { type Link, runScript, type Script } from "../connection/index.js";
import type { KeyNames } from "../keys.js";
import { LUA_HAS_SHARE } from "./lua-share.js";

/** Limits for all values that have an owner. */
export interface ValueLimits {
  readonly maxValues: number;
  readonly maxValueBytes: number;
}

/** Space for a value. */
export interface ReservedValue {
  readonly owner: string;
  readonly value: string;
  /** Zero for an unlimited lifetime. */
  readonly ttl: number;
}

/** Space that the owners of values use. */
export class ValueShares {
  readonly #link: Link;
  readonly #keys: KeyNames;
  readonly #root: string;
  readonly #limits: ValueLimits;

  constructor(link: Link, keys: KeyNames, limits: ValueLimits) {
    this.#link = link;
    this.#keys = keys;
    this.#root = keys.toKey("value-shares", "all");
    this.#limits = limits;
  }

  /** Reserves the space for a value, also if it exists. @throws {StoreError} if the owner has used its share */
  async reserve(key: string, { owner, value, ttl }: ReservedValue): Promise<void> {
    const { maxValues, maxValueBytes } = this.#limits;
    const bytes = Buffer.byteLength(value) + key.length + OVERHEAD;
    const limits = [maxValues, maxValueBytes, freeFactorOf(owner)];
    const args = [this.#keys.hash(key), this.#keys.hash(owner), bytes, ttl, ...limits];
    const outcome = String(await this.#run(RESERVE, args));
    if (outcome === "share" || outcome === "full") throw toError(outcome, this.#limits);
  }

  /** Extends the lifetime of a value's space. */
  async touch(key: string, ttl: number): Promise<void> {
    await this.#run(TOUCH, [this.#keys.hash(key), ttl]);
  }

  /** Gives the space of a value back. */
  async release(key: string): Promise<void> {
    await this.#run(RELEASE, [this.#keys.hash(key)]);
  }

  #run(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return runScript(this.#link, script, { keys: [this.#root], args, repeatable: true });
  }
}

/** Approximate memory in bytes that Redis needs for a value besides its text, in all keys. */
const OVERHEAD = 400;

/** Maximum number of expired values that one script removes from the counts. */
const MAX_EXPIRED = 200;

function toError(outcome: "share" | "full", { maxValues, maxValueBytes }: ValueLimits): StoreError {
  const limits = `${maxValues} values, ${maxValueBytes} bytes`;
  const problem =
    outcome === "full"
      ? `The store is full (limit: ${limits}).`
      : "This caller has used its share of the store, and the rest is kept for others " +
        `(limit for all callers: ${limits}).`;
  return new StoreError(outcome, `${problem} Raise \`maxValues\` or \`maxValueBytes\` of \`redis\`.`);
}

const LUA_COMMON = `
local call = redis.call
local root = KEYS[1]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries, expiries = root .. ':entries', root .. ':expiries'

local function find(member)
  local bytes, owner = string.match(call('HGET', entries, member) or '', '^(%d+) (.*)$')
  return tonumber(bytes), owner
end

local function add(name, owner, change)
  if call('HINCRBY', root .. name, owner, change) <= 0 then call('HDEL', root .. name, owner) end
end

local function count(owner, values, bytes)
  call('INCRBY', root .. ':bytes', bytes)
  add(':counts', owner, values)
  add(':sizes', owner, bytes)
end

local function forget(member)
  local bytes, owner = find(member)
  call('ZREM', expiries, member)
  if not bytes then return end
  call('HDEL', entries, member)
  count(owner, -1, -bytes)
end

local function expiryOf(ttl)
  return ttl == 0 and '+inf' or string.format('%.0f', now + ttl)
end
`;

const RESERVE: Script = {
  name: "tenonValueReserve",
  keys: 1,
  lua: `${LUA_COMMON}${LUA_HAS_SHARE}
local member, owner = ARGV[1], ARGV[2]
local bytes, ttl, maxValues, maxBytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local free = tonumber(ARGV[7])
local function used(name) return tonumber(call('HGET', root .. name, owner) or '0') end
for _, one in ipairs(call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, ${MAX_EXPIRED})) do forget(one) end
local old, oldOwner = find(member)
if old and oldOwner ~= owner then
  forget(member)
  old = nil
end
local growth = bytes - (old or 0)
local total = tonumber(call('GET', root .. ':bytes') or '0')
if not old then
  local values = call('ZCARD', expiries)
  if values >= maxValues then return 'full' end
  if not hasShare(used(':counts'), 1, values, maxValues, free) then return 'share' end
end
if growth > 0 then
  if total + growth > maxBytes then return 'full' end
  if not hasShare(used(':sizes'), growth, total, maxBytes, free) then return 'share' end
end
call('HSET', entries, member, string.format('%.0f %s', bytes, owner))
call('ZADD', expiries, expiryOf(ttl), member)
count(owner, old and 0 or 1, growth)
return 'reserved'
`,
};

const TOUCH: Script = {
  name: "tenonValueTouch",
  keys: 1,
  mode: "frees",
  lua: `${LUA_COMMON}
return call('ZADD', expiries, 'XX', expiryOf(tonumber(ARGV[2])), ARGV[1])
`,
};

const RELEASE: Script = {
  name: "tenonValueRelease",
  keys: 1,
  mode: "frees",
  lua: `${LUA_COMMON}
forget(ARGV[1])
return 1
`,
};
