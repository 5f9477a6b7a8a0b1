/**
 * @fileoverview Tenon in one process, with its sessions in memory.
 * @module bench/servers/cluster-memory
 */
import { clusterAdapter } from "./cluster.js";

/** Adapter of Tenon with sessions in memory. */
export const adapter = clusterAdapter(() => ({}));
