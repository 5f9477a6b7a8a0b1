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
  const engines = new Set<RedisTaskEngine>();
  return {
    createTaskEngine(context) {
      const engine = createRedisTaskEngine(context, parts);
      engines.add(engine);
      return engine;
    },
    async countTasks() {
      const counts = await Promise.all([...engines].map((engine) => engine.countTasks()));
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
