/**
 * @fileoverview Connections to Redis.
 * @module redis/connection
 */
export {
  createCommandClient,
  createSubscriptionClient,
  createWorkerClient,
  describeAddress,
  type RedisClient,
} from "./clients.js";
export { Link, type LinkOptions } from "./link.js";
export { runScript, type Script } from "./script.js";
export { checkServer } from "./check-server.js";
export { checkWrites } from "./check-writes.js";
