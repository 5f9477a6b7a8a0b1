import { serve } from "tenon/node";
import { expect, onTestFinished, test } from "vitest";
import { runManyTasks } from "../../tools/official-clients/many-tasks.js";
import { createTasksServer } from "../../tools/official-clients/tasks-server.js";

test(
  "the official client settles 1,000 of 1,000 tasks with questions, failures, and cancellations",
  { timeout: 1_800_000 },
  async () => {
    const running = await serve(createTasksServer({ maxTasks: 2_000 }), {
      transport: { type: "http", port: 0 },
      signals: false,
      graceMs: 0,
    });
    onTestFinished(() => running.close());
    const run = { count: 1_000, clients: 40, tasksPerClient: 5 };
    const { expected, unexpected, statuses, questions } = await runManyTasks(new URL(running.url ?? ""), run);
    expect(unexpected).toEqual([]);
    expect({ expected, statuses, questions }).toEqual({
      expected: 1_000,
      statuses: { completed: 700, failed: 100, cancelled: 200 },
      questions: 400,
    });
  },
);
