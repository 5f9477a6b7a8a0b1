/**
 * @fileoverview Creates the embedded engine. The log on disk needs Node.js modules, so it is loaded only if a directory
 * is given.
 * @module tenon/tasks/engine/create-engine
 */
import { parseOptions } from "@tenon/internal/options/define-options";
import { withPorts } from "@tenon/internal/ports";
import { KeyRing } from "../../core/call/key-ring.js";
import { createRecordSealer } from "../../core/call/record-sealer.js";
import type { DirectoryLogOptions } from "../directory/directory-log.js";
import type { TaskLog } from "../directory/task-log.js";
import { EmbeddedTaskEngine } from "./embedded-engine.js";
import { ENGINE_OPTIONS, type EngineOptions } from "./engine-options.js";
import type { TaskEngine } from "./task-engine.js";

/**
 * Creates an engine that runs tasks in this process. Records are kept in memory, or in `directory` as well.
 *
 * @example const engine = createTaskEngine({ directory: "data/tasks" });
 * @throws {TypeError} if an option is unknown or invalid
 */
export function createTaskEngine(options: EngineOptions = {}): TaskEngine {
  const { keys, ...others } = parseOptions(ENGINE_OPTIONS, options);
  return createEmbeddedEngine(others, keys && new KeyRing(withPorts(options.ports), keys));
}

/**
 * Creates an embedded engine for one server.
 *
 * @param ring keys of the server for the records in `directory`; without them, the directory has a secret
 */
export function createEmbeddedEngine(options: Omit<EngineOptions, "keys">, ring?: KeyRing): TaskEngine {
  const { directory, sync, ports = {}, keys: _, ...limits } = parseOptions(ENGINE_OPTIONS, options);
  if (directory === undefined) return new EmbeddedTaskEngine(limits, { ports });
  const sealer = ring && createRecordSealer(ring);
  return new EmbeddedTaskEngine(limits, { ports, log: createLazyLog(directory, { sync, sealer }) });
}

/** Creates a log whose implementation is loaded on first use. */
function createLazyLog(directory: string, options: DirectoryLogOptions): TaskLog {
  let log: Promise<TaskLog> | undefined;
  const load = async () => {
    const { DirectoryTaskLog } = await import("../directory/directory-log.js");
    return new DirectoryTaskLog(directory, options);
  };
  const open = () => (log ??= load());
  return {
    load: async (report) => (await open()).load(report),
    append: async (task, live) => (await open()).append(task, live),
    close: async () => (await log)?.close(),
  };
}
