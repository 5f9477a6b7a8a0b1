/**
 * @fileoverview Parts of the Redis store that the task engine uses.
 * @module redis/tasks/engine-parts
 */
import type { Bus } from "tenon/stores";
import type { Link, RedisClient } from "../connection/index.js";

/** Parts of the Redis store that the task engine uses. */
export interface TaskEngineParts {
  /** First part of every key, without braces. All keys of a server's tasks have the same hash tag. */
  readonly prefix: string;
  /** Connection for commands. The engine does not close it. */
  readonly link: Link;
  /**
   * Creates a client for BullMQ's worker, with `maxRetriesPerRequest: null` and without `commandTimeout`. BullMQ
   * duplicates it. The engine disconnects it.
   */
  createWorkerClient(): RedisClient;
  readonly bus: Bus;
  /** Returns the Pub/Sub channel that `bus` uses for a name. Scripts publish to it. */
  toChannel(name: string): string;
}
