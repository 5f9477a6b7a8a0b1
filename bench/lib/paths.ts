/**
 * @fileoverview Paths of the benchmark.
 * @module bench/lib/paths
 */
import { fileURLToPath } from "node:url";

/** Folder of the benchmark. */
export const BENCH = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** Folder of the project. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
/** Folder of the compiled servers. It is one level deep, like their sources, so that relative paths stay valid. */
export const BUILD = `${BENCH}/dist`;
