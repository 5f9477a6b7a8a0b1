/**
 * @fileoverview `@tenon/redis`: shared sessions, stores, and a task engine on Redis.
 * @module redis
 */
export type { RedisNode, RedisOptions } from "./options.js";
export { redis } from "./redis.js";
