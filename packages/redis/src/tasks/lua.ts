/**
 * @fileoverview Lua scripts of the task engine. Each runs as one atomic step, and all of its keys have the same hash
 * tag. Every script can run twice with the same arguments, because a client repeats commands after a lost connection.
 *
 * Keys below the root:
 * - `:task:<id>`: hash with the version `v`, the sealed record `s`, the current job `j`, its holder `h` (node and
 *   delivery), and `a` if the task was queued while it was running
 * - `:tasks`: IDs by deletion time. `:meta`: size and owner by ID. `:bytes`: total size
 * - `:owned:<owner>`: IDs of one owner. `:slots:<owner>`: IDs with a job. `:waiting:<owner>`: IDs that wait for a slot
 * - `:held`: IDs in all `:waiting` lists. `:pending`: jobs by time that must be added to the queue
 * - `:nodes`: time of the last heartbeat, and the time since when heartbeats arrive, by node
 * @module redis/tasks/lua
 */

/** Time in milliseconds after the last heartbeat of a node at which its runs count as lost. */
const LOST_MS = 2_000;

/** Time in milliseconds after the last heartbeat of a node at which it may have been without a connection. */
const SILENT_MS = LOST_MS - 500;

/** Time in milliseconds after an outage of Redis in which all nodes can connect again before one counts as lost. */
const GRACE_MS = 4_000;

/** Age in milliseconds at which a job that was not added to the queue is added by another node. */
const PENDING_MS = 2_000;

/** Names and functions for all scripts. `ARGV[1]` is the number of slots for each owner. */
const PRELUDE = `
local call = redis.call
local root = KEYS[1]
local slots = tonumber(ARGV[1])
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function key(id) return root .. ':task:' .. id end

local function meta(id)
  local text = call('HGET', root .. ':meta', id)
  if not text then return 0, '' end
  local bytes, owner = string.match(text, '^(%d+) (.*)$')
  return tonumber(bytes), owner
end

-- Jobs with a time of 0 are added by the next tick of a node, others first by the caller.
local function push(id, job, at)
  call('ZADD', root .. ':pending', at, job .. ' ' .. id)
end

-- Gives the free slots of an owner to the tasks that wait for them.
local function refill(owner, at)
  local jobs = {}
  while call('SCARD', root .. ':slots:' .. owner) < slots do
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
  if owner ~= '' then
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
    call('DECRBY', root .. ':bytes', bytes)
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

/**
 * Stores a new task and gives it a job. Returns `added`, `held`, or the limit that is exceeded.
 * Arguments: slots, ID, version, record, bytes, deletion time, owner, job, and the limits on tasks, tasks per owner,
 * and bytes.
 */
export const CREATE = `${PRELUDE}
local id, version, sealed, bytes, deleteAt, owner, job = unpack(ARGV, 2, 8)
local known = {call('HGET', key(id), 'v')}
if known[1] and known[1] ~= version then return 'exists' end
if known[1] then return call('SISMEMBER', root .. ':held', id) == 1 and 'held' or 'added' end
local function exceeded()
  if owner ~= '' and call('SCARD', root .. ':owned:' .. owner) >= tonumber(ARGV[10]) then return 'owned' end
  if call('ZCARD', root .. ':tasks') >= tonumber(ARGV[9]) then return 'tasks' end
  local total = tonumber(call('GET', root .. ':bytes') or '0')
  if total + tonumber(bytes) > tonumber(ARGV[11]) then return 'bytes' end
  return false
end
for _ = 1, 10 do if not exceeded() or prune(500) == 0 then break end end
local limit = exceeded()
if limit then return limit end
store(id, version, sealed, bytes, owner, deleteAt)
call('INCRBY', root .. ':bytes', bytes)
if owner ~= '' then call('SADD', root .. ':owned:' .. owner, id) end
return enqueue(id, job, owner) and 'added' or 'held'
`;

/**
 * Replaces a record if it has the expected version. Returns `stale`, `bytes`, `written`, `added`, or `held`.
 * Arguments: slots, ID, expected version, version, record, bytes, deletion time, job or nothing, limit on bytes, and
 * the channel of the task's watchers.
 */
export const WRITE = `${PRELUDE}
local id, expected, version, sealed, bytes, deleteAt, job = unpack(ARGV, 2, 8)
local known = call('HMGET', key(id), 'v', 'j', 'h')
if not known[1] then return 'stale' end
if known[1] == version then return 'written' end
if known[1] ~= expected then return 'stale' end
local old, owner = meta(id)
local growth = tonumber(bytes) - old
local function exceeded()
  return growth > 0 and tonumber(call('GET', root .. ':bytes') or '0') + growth > tonumber(ARGV[9])
end
for _ = 1, 10 do if not exceeded() or prune(500) == 0 then break end end
if exceeded() then return 'bytes' end
store(id, version, sealed, bytes, owner, deleteAt)
call('INCRBY', root .. ':bytes', growth)
call('PUBLISH', ARGV[10], '')
if job == '' then return 'written' end
if known[2] ~= '' then
  -- A job that has not started sees the new record. Otherwise, the task runs again afterwards.
  if known[3] ~= '' then call('HSET', key(id), 'a', '1') end
  return 'written'
end
return enqueue(id, job, owner) and 'added' or 'held'
`;

/**
 * Claims a job for a delivery. Returns `drop` if the task has no such job, `busy` if a node still runs it, or `run`
 * with the version and the record. Arguments: slots, ID, job, delivery, and node.
 *
 * Only heartbeats tell that a node is lost. They stop for all nodes while Redis is away, so nothing is lost until
 * heartbeats of some node have arrived for some time, in which the others can connect again.
 */
export const START = `${PRELUDE}
local id, job, holder, node = unpack(ARGV, 2, 5)
local task = call('HMGET', key(id), 'j', 'h', 'v', 's')
if task[1] ~= job then return {'drop'} end
local other = string.match(task[2], '^%S+')
if other and other ~= node then
  local last = string.match(call('HGET', root .. ':nodes', other) or '', '^%d+')
  local ownLast, since = string.match(call('HGET', root .. ':nodes', node) or '', '^(%d+) (%d+)$')
  -- Without a recent heartbeat of its own, this node may just have connected again, like all others.
  if not ownLast or now - ownLast > ${SILENT_MS} then since = now end
  if last and (now - last < ${LOST_MS} or now - since < ${GRACE_MS}) then return {'busy'} end
end
call('HSET', key(id), 'h', holder)
return {'run', task[3], task[4]}
`;

/**
 * Ends a delivery and returns the jobs and tasks that must be added to the queue. Arguments: slots, ID, job, delivery,
 * `done`, `again`, or `later`, and the ID for a new job. With `later`, the task keeps its job.
 */
export const FINISH = `${PRELUDE}
local id, job, holder, outcome, nextJob = unpack(ARGV, 2, 6)
local task = call('HMGET', key(id), 'j', 'h', 'a')
if task[1] ~= job or task[2] ~= holder then return {} end
if outcome == 'later' then
  call('HSET', key(id), 'h', '')
  return {}
end
if outcome == 'again' or task[3] == '1' then
  call('HSET', key(id), 'j', nextJob, 'h', '', 'a', '')
  push(id, nextJob, now)
  return {nextJob, id}
end
call('HSET', key(id), 'j', '', 'h', '')
local _, owner = meta(id)
if owner == '' then return {} end
call('SREM', root .. ':slots:' .. owner, id)
return refill(owner, now)
`;

/**
 * Records a heartbeat, removes expired tasks, and looks for jobs that are missing from the queue. Returns the next
 * cursor and the jobs and tasks to add. Arguments: slots, node, cursor, and jobs that were added.
 */
export const TICK = `${PRELUDE}
local node = ARGV[2]
local last, since = string.match(call('HGET', root .. ':nodes', node) or '', '^(%d+) (%d+)$')
if not last or now - last > ${SILENT_MS} then
  -- A node that is new, or was cut off, relies on the heartbeats of the others: they show since when Redis responds.
  since = now
  local nodes = call('HGETALL', root .. ':nodes')
  for index = 2, #nodes, 2 do
    local theirLast, theirSince = string.match(nodes[index], '^(%d+) (%d+)$')
    if now - theirLast <= ${SILENT_MS} then since = math.min(since, tonumber(theirSince)) end
  end
  since = string.format('%.0f', since)
end
call('HSET', root .. ':nodes', node, string.format('%.0f %s', now, since))
for index = 4, #ARGV do call('ZREM', root .. ':pending', ARGV[index]) end
prune(200)
-- Tasks whose job is neither in the queue nor about to be added, in small steps.
local page = call('ZSCAN', root .. ':tasks', ARGV[3], 'COUNT', 20)
for index = 1, #page[2], 2 do
  local id = page[2][index]
  local job = call('HGET', key(id), 'j')
  if job and job ~= '' then
    if call('SISMEMBER', root .. ':held', id) == 1 then
      local _, owner = meta(id)
      refill(owner, 0)
    elseif call('EXISTS', root .. ':jobs:' .. job) == 0 and not call('ZSCORE', root .. ':pending', job .. ' ' .. id) then
      push(id, job, 0)
    end
  end
end
if page[1] == '0' then
  local nodes = call('HGETALL', root .. ':nodes')
  for index = 1, #nodes, 2 do
    if now - string.match(nodes[index + 1], '^%d+') > 60000 then call('HDEL', root .. ':nodes', nodes[index]) end
  end
end
local jobs = {page[1]}
for _, member in ipairs(call('ZRANGEBYSCORE', root .. ':pending', '-inf', now - ${PENDING_MS}, 'LIMIT', 0, 100)) do
  local job, id = string.match(member, '^(%S+) (.*)$')
  if call('HGET', key(id), 'j') == job then
    call('ZADD', root .. ':pending', now, member)
    jobs[#jobs + 1] = job
    jobs[#jobs + 1] = id
  else
    call('ZREM', root .. ':pending', member)
  end
end
return jobs
`;
