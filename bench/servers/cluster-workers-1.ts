/**
 * @fileoverview Tenon with `workers: 1`.
 * @module bench/servers/cluster-workers-1
 */
import { clusterAdapter } from "./cluster.js";

/** Adapter of Tenon with one worker process. */
export const adapter = clusterAdapter(() => ({ workers: 1 }));
