/**
 * @fileoverview Task engine on Redis and BullMQ.
 * @module redis/tasks
 */
export type { TaskEngineParts } from "./engine-parts.js";
export { createRedisTaskEngine, type RedisTaskEngine } from "./redis-task-engine.js";
