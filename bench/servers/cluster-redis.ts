/**
 * @fileoverview Tenon as one of several nodes, with its sessions in Redis.
 * @module bench/servers/cluster-redis
 */
import { redis } from "../../packages/redis/dist/index.js";
import { clusterAdapter } from "./cluster.js";
import { REDIS_URL } from "./host-protocol.js";

/** Adapter of Tenon with sessions in Redis. */
export const adapter = clusterAdapter(() => ({
  store: redis({
    url: process.env[REDIS_URL] ?? "",
    keys: ["a secret that only the benchmark uses"],
    maxSessions: 1_000_000,
  }),
}));
