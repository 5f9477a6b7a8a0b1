/**
 * @fileoverview Tenon as one of several nodes or with workers. All servers of the cluster suite have the same tools.
 * @module bench/servers/cluster
 */
import cluster from "node:cluster";
import { z } from "zod";
import { defineServer } from "../../packages/tenon/dist/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";
import { tasks } from "../../packages/tenon/dist/tasks/index.js";
import { processCpuUs } from "../lib/process-cpu.js";
import type { Adapter } from "./contract.js";
import { legacyOption } from "./tenon.js";
import { benchTools, INFO } from "./tools.js";

type ServeOptions = NonNullable<Parameters<typeof serve>[1]>;

/** Creates the adapter of a server with a store or workers. */
export function clusterAdapter(createOptions: () => Pick<ServeOptions, "store" | "workers">): Adapter {
  return {
    async http(setup) {
      const running = await serve(clusterServer(), {
        port: 0,
        banner: false,
        ...legacyOption(setup),
        ...createOptions(),
      });
      if (running.httpServer !== undefined) running.httpServer.keepAliveTimeout = 600_000;
      // A worker serves until the first process ends, which talks to the benchmark.
      if (cluster.isWorker) await new Promise(() => undefined);
      return Number(new URL(running.url ?? "").port);
    },
    cpuUs: () => workerIds().reduce((sum, pid) => sum + processCpuUs(pid), 0),
  };
}

function clusterServer() {
  const builder = defineServer(INFO).extension(
    tasks({ maxTasks: 1_000_000, maxTotalBytes: 8 * 1024 ** 3, maxTasksPerPrincipal: 1_000_000 }),
  );
  for (const { name, description, input, run } of benchTools(2)) {
    builder.tool(name, { description, input, handler: (args) => run(args) });
  }
  return builder
    .tool("ticks", {
      description: "Sends progress",
      input: z.object({ count: z.number(), text: z.string() }),
      async handler({ count, text }, call) {
        for (let tick = 1; tick <= count; tick++) await call.progress(tick, count, text);
        return String(count);
      },
    })
    .tool("keep", {
      description: "Gives a text back as a task",
      input: z.object({ text: z.string() }),
      task: "required",
      handler: ({ text }) => text,
    });
}

function workerIds(): readonly number[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
}
