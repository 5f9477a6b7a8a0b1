/**
 * @fileoverview Lua scripts for the records of sessions. Each shard has these keys, besides its records:
 *
 * - `owner:…`: sorted set with the records of one owner, by expiry time.
 * - `ranks`: sorted set of owners, by their number of records, and then by the first expiry time of their records.
 * - `expiries`: sorted set of owners, by the first expiry time of their records.
 * - `total`: number of records.
 * @module redis/stores/session-scripts
 */
import type { Script } from "../connection/index.js";
import { VERSION_LENGTH } from "./key-value.js";

/** Length of the hash of an owner in characters. */
const OWNER_LENGTH = 32;

/** Number of digits for the length of a label, before the label. */
export const LENGTH_DIGITS = 4;

/** Start of the label in a record's string. */
export const LABEL_START: number = VERSION_LENGTH + OWNER_LENGTH + LENGTH_DIGITS;

/** Maximum number of owners whose expired records one script removes, and of records that it removes to make room. */
const MAX_REMOVED = 100;

/** Lua code with functions that all scripts use. */
const LUA_COMMON = `
local root = KEYS[2]
local ranks, expiries, total = root .. ':ranks', root .. ':expiries', root .. ':total'

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function setOf(owner)
  return root .. ':owner:' .. owner
end

local function ownerOf(record)
  return redis.call('GETRANGE', record, ${VERSION_LENGTH}, ${VERSION_LENGTH + OWNER_LENGTH - 1})
end

local function labelLengthOf(record)
  return tonumber(redis.call('GETRANGE', record, ${LABEL_START - LENGTH_DIGITS}, ${LABEL_START - 1}))
end

-- Sorts an owner after a change of its records. A rank has 20 bits for the number of records, and 32 bits for seconds.
local function rank(owner)
  local set = setOf(owner)
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  if not first[1] then
    redis.call('ZREM', ranks, owner)
    redis.call('ZREM', expiries, owner)
    return
  end
  local expiry = tonumber(first[2])
  local seconds = math.min(math.floor(expiry / 1000), 4294967295)
  redis.call('ZADD', ranks, redis.call('ZCARD', set) * 4294967296 + 4294967295 - seconds, owner)
  redis.call('ZADD', expiries, expiry, owner)
end
`;

/** Lua code that makes room for a record and writes it. */
const LUA_WRITE = `
local record, ttl, member, owner = KEYS[1], tonumber(ARGV[4]), ARGV[5], ARGV[8]
local displaced = {}

local function expire(one, time)
  local removed = redis.call('ZREMRANGEBYSCORE', setOf(one), '-inf', time)
  if removed == 0 then return end
  redis.call('DECRBY', total, removed)
  rank(one)
end

local function evict(one, count)
  local evicted = redis.call('ZPOPMIN', setOf(one), math.min(count, ${MAX_REMOVED}))
  for i = 1, #evicted, 2 do
    local name = root .. ':' .. evicted[i]
    local length = labelLengthOf(name)
    if length and length > 0 then
      displaced[#displaced + 1] = redis.call('GETRANGE', name, ${LABEL_START}, ${LABEL_START} + length - 1)
    end
    redis.call('DEL', name)
    redis.call('DECR', total)
  end
  rank(one)
end

local function makeRoom()
  local time = now()
  expire(owner, time)
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', time, 'LIMIT', 0, ${MAX_REMOVED})) do
    expire(one, time)
  end
  local maxTotal, maxPerOwner = tonumber(ARGV[7]), tonumber(ARGV[9])
  local own = redis.call('ZCARD', setOf(owner))
  if maxPerOwner > 0 and own >= maxPerOwner then
    evict(owner, own - maxPerOwner + 1)
    own = redis.call('ZCARD', setOf(owner))
  end
  local excess = tonumber(redis.call('GET', total) or '0') - maxTotal + 1
  for _ = 1, math.min(excess, ${MAX_REMOVED}) do
    local largest = redis.call('ZREVRANGE', ranks, 0, 0)[1]
    if not largest then return end
    -- An owner takes no record from others that have as few records as itself.
    if redis.call('ZCARD', setOf(largest)) <= own then largest = owner end
    evict(largest, 1)
    if largest == owner then own = own - 1 end
  end
end

local function write()
  local head = owner .. ARGV[6]
  if redis.call('EXISTS', record) == 1 then
    owner = ownerOf(record)
    head = redis.call('GETRANGE', record, ${VERSION_LENGTH}, ${LABEL_START - 1} + labelLengthOf(record))
  else
    makeRoom()
  end
  local text = ARGV[2] .. head .. ARGV[3]
  local expiry = now() + ttl
  if ttl == 0 then
    expiry = 4503599627370496
    redis.call('SET', record, text)
  else
    redis.call('SET', record, text, 'PX', ttl)
  end
  if redis.call('ZADD', setOf(owner), expiry, member) == 1 then redis.call('INCR', total) end
  rank(owner)
end
`;

/**
 * Lua code that reads the version of a record. If it is the one of this write, the write has succeeded before, and its
 * reply was lost.
 */
const LUA_VERSION = `
local current = redis.call('GETRANGE', record, 0, ${VERSION_LENGTH - 1})
`;

/** Writes a record unconditionally. */
export const SET: Script = {
  name: "tenonSessionSet",
  keys: 2,
  lua: `${LUA_COMMON}${LUA_WRITE}
write()
return 1`,
};

/** Writes a record if its version is the expected one. */
export const COMPARE_AND_SET: Script = {
  name: "tenonSessionCompareAndSet",
  keys: 2,
  lua: `${LUA_COMMON}${LUA_WRITE}${LUA_VERSION}
if current == ARGV[2] then return 1 end
if current ~= ARGV[1] then return 0 end
write()
return 1`,
};

/** Creates a record. Returns 1 and the labels of the records that were removed, or 0 if the record exists. */
export const CREATE: Script = {
  name: "tenonSessionCreate",
  keys: 2,
  lua: `${LUA_COMMON}${LUA_WRITE}${LUA_VERSION}
if current == ARGV[2] then return {1} end
if current ~= '' then return {0} end
write()
return {1, unpack(displaced)}`,
};

/** Deletes a record. */
export const DELETE: Script = {
  name: "tenonSessionDelete",
  keys: 2,
  mode: "frees",
  lua: `${LUA_COMMON}
local owner = ownerOf(KEYS[1])
if owner == '' then return 0 end
if redis.call('ZREM', setOf(owner), ARGV[1]) == 1 then redis.call('DECR', total) end
rank(owner)
return redis.call('DEL', KEYS[1])`,
};

/** Extends the lifetime of a record. */
export const TOUCH: Script = {
  name: "tenonSessionTouch",
  keys: 2,
  mode: "frees",
  lua: `${LUA_COMMON}
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then return 0 end
local owner = ownerOf(KEYS[1])
if redis.call('ZADD', setOf(owner), now() + tonumber(ARGV[2]), ARGV[1]) == 1 then redis.call('INCR', total) end
rank(owner)
return 1`,
};
