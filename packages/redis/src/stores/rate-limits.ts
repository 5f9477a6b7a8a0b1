/**
 * @fileoverview Rate limits in fixed windows. A counter in Redis expires with its window.
 * @module redis/stores/rate-limits
 */
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import type { RateLimitOutcome, RateLimitRule, RateLimits } from "tenon/stores";
import { type Link, runScript, type Script } from "../connection/index.js";
import type { KeyNames } from "../keys.js";

/** Creates rate limits. */
export function createRateLimits({ link, keys }: { link: Link; keys: KeyNames }): RateLimits {
  const toKey = (key: string) => keys.toKey("rate", parseName(key));
  const parseRule = ({ limit, windowMs }: RateLimitRule): [number, number] => [
    parseWhole("limit", limit),
    parseWhole("windowMs", windowMs),
  ];
  return {
    async consume(key, points, rule) {
      const args = [parseWhole("points", points), ...parseRule(rule)];
      // Not repeatable: it would consume the points twice.
      return toOutcome(await runScript(link, CONSUME, { keys: [toKey(key)], args }));
    },
    async peek(key, rule) {
      const [limit] = parseRule(rule);
      const call = { keys: [toKey(key)], args: [limit], repeatable: true };
      const reply = await runScript(link, PEEK, call);
      return reply === null ? undefined : toOutcome(reply);
    },
    async reset(key) {
      const name = toKey(key);
      await link.run((client) => client.del(name), { repeatable: true });
    },
  };
}

function toOutcome(reply: unknown): RateLimitOutcome {
  // Safe: both scripts return three integers.
  const [allowed, remaining, resetMs] = reply as readonly [number, number, number];
  return { allowed: allowed === 1, remaining: Math.max(remaining, 0), resetMs: Math.max(resetMs, 0) };
}

/** Takes `ARGV[1]` points from a limit of `ARGV[2]` points in `ARGV[3]` milliseconds. */
const CONSUME: Script = {
  name: "tenonConsume",
  keys: 1,
  lua: `
redis.call('SET', KEYS[1], 0, 'PX', ARGV[3], 'NX')
local used, limit = tonumber(redis.call('GET', KEYS[1])), tonumber(ARGV[2])
local allowed = used + tonumber(ARGV[1]) <= limit and 1 or 0
if allowed == 1 then used = redis.call('INCRBY', KEYS[1], ARGV[1]) end
return {allowed, limit - used, redis.call('PTTL', KEYS[1])}`,
};

const PEEK: Script = {
  name: "tenonPeek",
  keys: 1,
  mode: "reads",
  lua: `
local used, limit = redis.call('GET', KEYS[1]), tonumber(ARGV[1])
if not used then return false end
local remaining = limit - tonumber(used)
return {remaining > 0 and 1 or 0, remaining, redis.call('PTTL', KEYS[1])}`,
};
