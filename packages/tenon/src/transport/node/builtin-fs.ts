/**
 * @fileoverview Loads `node:fs` when a file is read. A static import would add 2.6 ms to the cold start of servers that
 * do not read files.
 * @module tenon/transport/node/builtin-fs
 */
import type * as fs from "node:fs";
import { createRequire } from "node:module";

/** Loads `node:fs`. */
export function loadFs(): typeof fs {
  // Node before 20.16 and other runtimes may not provide this function.
  const runtime: Partial<Pick<NodeJS.Process, "getBuiltinModule">> = process;
  // `require` returns an untyped module.
  return runtime.getBuiltinModule?.("node:fs") ?? (createRequire(import.meta.url)("node:fs") as typeof fs);
}
