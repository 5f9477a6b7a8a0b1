/**
 * @fileoverview Where things are.
 * @module bench/lib/paths
 */
import { fileURLToPath } from "node:url";

/** The folder of the benchmark. */
export const BENCH = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** The folder of the project. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
/** Where servers are compiled to: one level deep, as their sources are, so that the same relative paths hold. */
export const BUILD = `${BENCH}/dist`;
