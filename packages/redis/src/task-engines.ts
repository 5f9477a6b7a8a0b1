/**
 * @fileoverview Task engines of all servers that use a store.
 * @module redis/task-engines
 */
import type { SharedStore } from "tenon/stores";
import { createRedisTaskEngine, type RedisTaskEngine, type TaskEngineParts } from "./tasks/index.js";

/** Creates the functions of a store that concern tasks. */
export function createTaskEngines(
  parts: TaskEngineParts,
): Required<Pick<SharedStore, "createTaskEngine" | "countTasks">> {
  /** Newest engine of each server. Engines of servers with the same name would count the same tasks. */
  const engines = new Map<string, RedisTaskEngine>();
  return {
    createTaskEngine(context) {
      const engine = createRedisTaskEngine(context, parts);
      engines.set(context.server, engine);
      return engine;
    },
    async countTasks() {
      const counts = await Promise.all([...engines.values()].map((engine) => engine.countTasks()));
      return counts.reduce(
        (sum, { queued, active, stored }) => ({
          queued: sum.queued + queued,
          active: sum.active + active,
          stored: sum.stored + stored,
        }),
        { queued: 0, active: 0, stored: 0 },
      );
    },
  };
}
