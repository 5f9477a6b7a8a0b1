/**
 * @fileoverview Event log on Redis Streams. Redis numbers the events of a stream, and a hash next to it maps the ID of
 * each kept event to its number (`:id`), and contains the last number (`n`) and the total size (`b`).
 * @module redis/stores/event-log
 */
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { type EventLog, type LoggedEvent, StoreError } from "tenon/stores";
import type { RedisSettings } from "../options.js";
import { type Link, runScript, type Script } from "../connection/index.js";
import type { KeyNames } from "../keys.js";

/** Parts of an event log. */
export interface EventLogParts {
  readonly link: Link;
  readonly keys: KeyNames;
  readonly limits: RedisSettings["events"];
}

/** Creates an event log. */
export function createEventLog({ link, keys, limits }: EventLogParts): EventLog {
  const { maxEvents, maxBytes, ttlMs } = limits;
  const toKeys = (stream: string) => {
    const name = parseName(stream);
    return [keys.toKey("events", name), keys.toPartKey("events", name, "ids")];
  };
  return {
    async append(stream, event, { id } = {}) {
      const size = Buffer.byteLength(event);
      // A generated ID also makes the append repeatable.
      const eventId = id === undefined ? createEventId() : parseName(id);
      const call = { keys: toKeys(stream), args: [eventId, event, maxEvents, maxBytes, ttlMs] };
      if (size > maxBytes) {
        throw new StoreError(
          "too-large",
          `The event (${size} bytes) is too large (limit: ${maxBytes} bytes). Raise \`maxBytes\`.`,
        );
      }
      await runScript(link, APPEND, { ...call, repeatable: true });
      return eventId;
    },
    async read(stream, afterId, limit) {
      const count = limit === undefined ? 0 : parseWhole("limit", limit);
      const args = afterId === undefined ? [count] : [count, afterId];
      const reply = await runScript(link, READ, { keys: toKeys(stream), args, repeatable: true });
      if (reply === null) return { ok: false, reason: "unknown-id" };
      return { ok: true, events: toEvents(reply) };
    },
    async delete(stream) {
      const names = toKeys(stream);
      return (await link.run((client) => client.del(...names))) > 0;
    },
  };
}

/** Returns a new ID. It is random, so an ID of a deleted stream never matches a different event. */
function createEventId(): string {
  return randomBytes(15).toString("base64url");
}

/** Converts the entries of a stream: `[number, ["i", id, "e", event]]`. */
function toEvents(reply: unknown): LoggedEvent[] {
  // Safe: the reply of XRANGE for entries that `APPEND` has written.
  const entries = reply as readonly (readonly [string, readonly [string, string, string, string]])[];
  return entries.map(([, [, id, , event]]) => ({ id, event }));
}

/** Appends an event unless its ID exists, and removes the oldest events until the limits are met. */
const APPEND: Script = {
  name: "tenonAppend",
  keys: 2,
  lua: `
local stream, ids = KEYS[1], KEYS[2]
local field, event = ':' .. ARGV[1], ARGV[2]
if redis.call('HEXISTS', ids, field) == 1 then return 0 end
local number = redis.call('HINCRBY', ids, 'n', 1)
redis.call('XADD', stream, number .. '-0', 'i', ARGV[1], 'e', event)
redis.call('HSET', ids, field, number)
local size = redis.call('HINCRBY', ids, 'b', #event)
local excess = redis.call('XLEN', stream) - tonumber(ARGV[3])
while excess > 0 or size > tonumber(ARGV[4]) do
  local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', stream, oldest[1])
  redis.call('HDEL', ids, ':' .. oldest[2][2])
  size = redis.call('HINCRBY', ids, 'b', 0 - #oldest[2][4])
  excess = excess - 1
end
redis.call('PEXPIRE', stream, ARGV[5])
redis.call('PEXPIRE', ids, ARGV[5])
return 1`,
};

/** Returns up to `ARGV[1]` events (0: all) after the ID `ARGV[2]`, or nothing if the ID is unknown. */
const READ: Script = {
  name: "tenonRead",
  keys: 2,
  mode: "reads",
  lua: `
local from = '-'
if ARGV[2] then
  local number = redis.call('HGET', KEYS[2], ':' .. ARGV[2])
  if not number then return false end
  from = '(' .. number .. '-0'
end
if ARGV[1] == '0' then return redis.call('XRANGE', KEYS[1], from, '+') end
return redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', ARGV[1])`,
};
