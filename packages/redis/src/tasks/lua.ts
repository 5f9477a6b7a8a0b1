/**
 * @fileoverview Lua scripts of the task engine. Each runs as one atomic step, and all of its keys have the same hash
 * tag. Every script can run twice with the same arguments, because a client repeats commands after a lost connection.
 *
 * Keys below the root:
 * - `:task:<id>`: hash with the version `v`, the sealed record `s`, the current job `j`, its holder `h` (node and
 *   delivery), `a` if the task was queued while it was running, and `p`, the time after which a silent node has lost it
 * - `:tasks`: IDs by deletion time. `:meta`: size and owner by ID. `:bytes`: total size. `:shares`: size by owner
 * - `:owned:<owner>`: IDs of one owner. `:slots:<owner>`: IDs with a job. `:waiting:<owner>`: IDs that wait for a slot
 * - `:held`: IDs in all `:waiting` lists. `:pending`: jobs by time that must be added to the queue
 * - `:nodes`: time of the last heartbeat, and the time since when heartbeats arrive, by node
 * @module redis/tasks/lua
 */
import { PRELUDE } from "./lua-prelude.js";

/** Time in milliseconds after the last heartbeat of a node at which its runs count as lost. */
const LOST_MS = 2_000;

/** Time in milliseconds after the last heartbeat of a node at which it may have been without a connection. */
const SILENT_MS = LOST_MS - 500;

/** Time in milliseconds after an outage of Redis in which all nodes can connect again before one counts as lost. */
const GRACE_MS = 4_000;

/** Age in milliseconds at which a job that was not added to the queue is added by another node. */
const PENDING_MS = 2_000;

/**
 * Stores a new task and gives it a job. Returns `added`, `held`, or the limit that is exceeded.
 * Arguments: slots, ID, version, record, bytes, deletion time, owner, job, the limits on tasks, tasks per owner, and
 * bytes, and the time after which a silent node has lost the task.
 */
export const CREATE = `${PRELUDE}
local id, version, sealed, bytes, deleteAt, owner, job = unpack(ARGV, 2, 8)
local known = {call('HGET', key(id), 'v')}
if known[1] and known[1] ~= version then return 'exists' end
if known[1] then return call('SISMEMBER', root .. ':held', id) == 1 and 'held' or 'added' end
local maxTasks, maxOwned, maxBytes = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local function exceeded()
  local owned = call('SCARD', root .. ':owned:' .. owner)
  if not isAnonymous(owner) and owned >= maxOwned then return 'owned' end
  local tasks = call('ZCARD', root .. ':tasks')
  if tasks >= maxTasks then return 'entries' end
  local total = tonumber(call('GET', root .. ':bytes') or '0')
  if total + tonumber(bytes) > maxBytes then return 'bytes' end
  if owner == '' then return false end
  if not hasShare(owned, 1, tasks, maxTasks, freeOf(owner)) then return 'entries-share' end
  if not hasShare(sizeOf(owner), tonumber(bytes), total, maxBytes, freeOf(owner)) then return 'bytes-share' end
  return false
end
local limit = settle(exceeded, owner)
if limit then return limit end
store(id, version, sealed, bytes, owner, deleteAt)
if ARGV[12] ~= '' then call('HSET', key(id), 'p', ARGV[12]) end
addSize(owner, bytes)
if owner ~= '' then call('SADD', root .. ':owned:' .. owner, id) end
return enqueue(id, job, owner) and 'added' or 'held'
`;

/**
 * Replaces a record if it has the expected version. Returns `stale`, `bytes`, `bytes-share`, `written`, `added`, or
 * `held`.
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
  if growth <= 0 then return false end
  local total, limit = tonumber(call('GET', root .. ':bytes') or '0'), tonumber(ARGV[9])
  if total + growth > limit then return 'bytes' end
  if owner ~= '' and not hasShare(sizeOf(owner), growth, total, limit, freeOf(owner)) then return 'bytes-share' end
  return false
end
local limit = settle(exceeded, owner)
if limit then return limit end
store(id, version, sealed, bytes, owner, deleteAt)
addSize(owner, growth)
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
 * with the version and the record. With `busy`, it also returns the time after which a silent node has lost the task, if
 * that is not the default. Arguments: slots, ID, job, delivery, and node.
 *
 * Only heartbeats tell that a node is lost. They stop for all nodes while Redis is away, so nothing is lost until
 * heartbeats of some node have arrived for some time, in which the others can connect again.
 */
export const START = `${PRELUDE}
local id, job, holder, node = unpack(ARGV, 2, 5)
local task = call('HMGET', key(id), 'j', 'h', 'v', 's', 'p')
if task[1] ~= job then return {'drop'} end
local other = string.match(task[2], '^%S+')
if other and other ~= node then
  local last = string.match(call('HGET', root .. ':nodes', other) or '', '^%d+')
  local ownLast, since = string.match(call('HGET', root .. ':nodes', node) or '', '^(%d+) (%d+)$')
  -- Without a recent heartbeat of its own, this node may just have connected again, like all others.
  if not ownLast or now - ownLast > ${SILENT_MS} then since = now end
  local patience = tonumber(task[5] or '') or ${LOST_MS}
  if last and (now - last < patience or now - since < ${GRACE_MS}) then return {'busy', task[5] or ''} end
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
