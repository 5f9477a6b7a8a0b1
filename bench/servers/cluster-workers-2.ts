/**
 * @fileoverview Tenon with `workers: 2`.
 * @module bench/servers/cluster-workers-2
 */
import { clusterAdapter } from "./cluster.js";

/** Adapter of Tenon with two worker processes. */
export const adapter = clusterAdapter(() => ({ workers: 2 }));
