/**
 * @fileoverview The server that every node runs: a task, a call that streams its progress, and a resource with updates.
 * @module examples/cluster/server
 */
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";

/** Resource that clients can subscribe to. */
export const NEWS = "news://latest";

/** For steps that have the same effect if they run twice. */
const RETRY = { retry: true } as const;

/** Creates the server of a node. Its name is part of the results, to show which node did what. */
export function createNodeServer(node: string) {
  const server = defineServer({ name: "cluster", version: "1.0.0" })
    .extension(tasks({ pollIntervalMs: 100 }))
    .resource("news", { uri: NEWS, handler: () => "Nothing new." })
    .tool("add_up", {
      description: "Adds numbers slowly, as a task.",
      input: z.object({ numbers: z.array(z.int()).max(100) }),
      output: z.object({ sum: z.int(), startedOn: z.string(), finishedOn: z.string() }),
      // Another node may start the handler again. Steps that have finished keep their results.
      task: { mode: "required", onLostWorker: "retry" },
      async handler({ numbers }, call) {
        const startedOn = await call.once("start", () => node, RETRY);
        let sum = 0;
        for (const [index, number] of numbers.entries()) {
          sum = await call.once(`step ${index}`, () => addSlowly(sum, number, call.signal), RETRY);
        }
        return { sum, startedOn, finishedOn: node };
      },
    })
    .tool("count_to", {
      description: "Counts slowly, with an event for each number.",
      input: z.object({ total: z.int().max(1_000) }),
      async handler({ total }, call) {
        for (let number = 1; number <= total; number++) {
          await sleep(STEP_MS, undefined, { signal: call.signal });
          await call.progress(number, total, node);
        }
        return node;
      },
    })
    .tool("publish", {
      description: "Tells all subscribers, on all nodes, that the news have changed.",
      handler: async () => {
        await server.resourceUpdated(NEWS);
        return node;
      },
    })
    .build();
  return server;
}

const STEP_MS = 100;

async function addSlowly(sum: number, number: number, signal: AbortSignal): Promise<number> {
  await sleep(STEP_MS, undefined, { signal });
  return sum + number;
}
