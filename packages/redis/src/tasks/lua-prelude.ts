/**
 * @fileoverview Lua functions that all scripts of the task engine use. `lua.ts` describes the keys.
 * @module redis/tasks/lua-prelude
 */
import { ANONYMOUS, freeFactorOf } from "@tenon/internal/collections/fair-share";
import { LUA_HAS_SHARE } from "../stores/lua-share.js";

/** Minimum time in milliseconds between two counts of an owner's tasks that Redis makes because of rejected tasks. */
const RECOUNT_MS = 10_000;

/**
 * Names and functions for all scripts. `ARGV[1]` is the number of slots for each owner.
 *
 * Tasks of callers without authentication belong to `ANONYMOUS`, which has a share but no limits of its own. Earlier
 * versions stored an empty owner, which has no share.
 */
export const PRELUDE = `
local call = redis.call
local root = KEYS[1]
local slots = tonumber(ARGV[1])
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function isAnonymous(owner) return owner == '' or owner == '${ANONYMOUS}' end

local function freeOf(owner)
  return owner == '${ANONYMOUS}' and ${freeFactorOf(ANONYMOUS)} or ${freeFactorOf("")}
end

local function slotsOf(owner) return isAnonymous(owner) and math.huge or slots end

local function key(id) return root .. ':task:' .. id end

local function meta(id)
  local text = call('HGET', root .. ':meta', id)
  if not text then return 0, '' end
  local bytes, owner = string.match(text, '^(%d+) (.*)$')
  return tonumber(bytes), owner
end

-- Counts the size of an owner's tasks.
local function recount(owner)
  local sum = 0
  for _, id in ipairs(call('SMEMBERS', root .. ':owned:' .. owner)) do sum = sum + (meta(id)) end
  call('HSET', root .. ':shares', owner, sum)
  return sum
end

-- Nodes with an earlier version do not update the sizes of owners, so an unknown size is counted.
local function sizeOf(owner)
  return tonumber(call('HGET', root .. ':shares', owner)) or recount(owner)
end

local function addSize(owner, change)
  call('INCRBY', root .. ':bytes', change)
  if owner == '' then return end
  if call('HINCRBY', root .. ':shares', owner, change) <= 0 then call('HDEL', root .. ':shares', owner) end
end

${LUA_HAS_SHARE}

-- Jobs with a time of 0 are added by the next tick of a node, others first by the caller.
local function push(id, job, at)
  call('ZADD', root .. ':pending', at, job .. ' ' .. id)
end

-- Gives the free slots of an owner to the tasks that wait for them.
local function refill(owner, at)
  local jobs = {}
  while call('SCARD', root .. ':slots:' .. owner) < slotsOf(owner) do
    local id = call('LPOP', root .. ':waiting:' .. owner)
    if not id then break end
    local job = call('SREM', root .. ':held', id) == 1 and call('HGET', key(id), 'j')
    if job and job ~= '' then
      call('SADD', root .. ':slots:' .. owner, id)
      push(id, job, at)
      jobs[#jobs + 1] = job
      jobs[#jobs + 1] = id
    end
  end
  return jobs
end

-- Gives a task a job. Returns false if it has to wait for a slot.
local function enqueue(id, job, owner)
  call('HSET', key(id), 'j', job, 'h', '', 'a', '')
  if not isAnonymous(owner) then
    if call('SCARD', root .. ':slots:' .. owner) >= slots then
      call('SADD', root .. ':held', id)
      call('RPUSH', root .. ':waiting:' .. owner, id)
      return false
    end
    call('SADD', root .. ':slots:' .. owner, id)
  end
  push(id, job, now)
  return true
end

-- Removes expired tasks from all counts. Returns the number of tasks.
local function prune(limit)
  local ids = call('ZRANGEBYSCORE', root .. ':tasks', '-inf', now, 'LIMIT', 0, limit)
  for _, id in ipairs(ids) do
    local bytes, owner = meta(id)
    addSize(owner, -bytes)
    call('ZREM', root .. ':tasks', id)
    call('HDEL', root .. ':meta', id)
    call('DEL', key(id))
    if owner ~= '' then
      call('SREM', root .. ':owned:' .. owner, id)
      if call('SREM', root .. ':held', id) == 1 then call('LREM', root .. ':waiting:' .. owner, 1, id) end
      if call('SREM', root .. ':slots:' .. owner, id) == 1 then refill(owner, 0) end
    end
  end
  return #ids
end

-- Removes expired tasks while a limit is exceeded, and returns the limit that still is. If an owner seems to have used
-- its share, its size is counted again from time to time, because nodes with an earlier version do not update it.
local function settle(exceeded, owner)
  for _ = 1, 10 do if not exceeded() or prune(500) == 0 then break end end
  local limit = exceeded()
  if limit ~= 'bytes-share' then return limit end
  if not call('SET', root .. ':recount:' .. owner, '', 'NX', 'PX', ${RECOUNT_MS}) then return limit end
  recount(owner)
  return exceeded()
end

local function store(id, version, sealed, bytes, owner, deleteAt)
  call('HSET', key(id), 'v', version, 's', sealed)
  call('HSET', root .. ':meta', id, bytes .. ' ' .. owner)
  if deleteAt == '' then
    call('PERSIST', key(id))
    call('ZADD', root .. ':tasks', '+inf', id)
  else
    call('PEXPIREAT', key(id), deleteAt)
    call('ZADD', root .. ':tasks', deleteAt, id)
  end
end
`;
