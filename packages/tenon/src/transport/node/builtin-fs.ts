/**
 * @fileoverview `node:fs`, loaded when a file is read. Importing it would load all of it, promises included, for servers
 * that read no file: 2.6 ms of a cold start.
 * @module transport/node/builtin-fs
 */
import type * as fs from "node:fs";
import { createRequire } from "node:module";

/** Loads `node:fs`. */
export function loadFs(): typeof fs {
  // Node before 20.16 and other runtimes may not have the function.
  const runtime: Partial<Pick<NodeJS.Process, "getBuiltinModule">> = process;
  // `require` has no type for the module it loads.
  return runtime.getBuiltinModule?.("node:fs") ?? (createRequire(import.meta.url)("node:fs") as typeof fs);
}
