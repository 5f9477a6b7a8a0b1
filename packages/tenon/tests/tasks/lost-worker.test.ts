import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, form, type LogEntry } from "../../src/index.js";
import { createTaskEngine } from "../../src/tasks/index.js";
import {
  accept,
  connect,
  createGate,
  createTaskClock,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const SURE = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });

interface Policy {
  readonly onLostWorker?: "fail" | "retry";
  readonly maxLostWorkers?: number;
}

/** Creates servers that share an engine. A server is lost when it closes and its handler does not end in time. */
function setUp(policy: Policy) {
  const clock = createTaskClock();
  const engine = createTaskEngine({ ports: clock.ports });
  const log: LogEntry[] = [];
  const serve = (handler: (call: Call) => unknown) => {
    const settings = { ports: clock.ports, log: (entry: LogEntry) => void log.push(entry) };
    const server = taskServer({ engine, closeGraceMs: 1_000 }, settings)
      .tool("work", {
        task: { mode: "required", ...policy },
        handler: async (_args, call) => (await handler(call)) as string,
      })
      .build();
    const lose = () => {
      server.close();
      clock.advance(1_000);
    };
    return { server, lose };
  };
  /** Runs a task on a server that is lost when the handler calls `hang`. */
  const loseDuring = async (handler: (call: Call, hang: () => Promise<never>) => unknown) => {
    const reached = createGate();
    const hang = (call: Call) => () =>
      new Promise<never>((_resolve, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
        reached.open();
      });
    const { server, lose } = serve((call) => handler(call, hang(call)));
    return { server, lose, reached: reached.promise };
  };
  return { serve, loseDuring, log };
}

describe("a worker that is lost while it runs a task", () => {
  test.each([
    ["fail", "The worker of a task was lost. This node has ended the task."],
    ["retry", "The worker of a task was lost. The task runs again on this node."],
  ] as const)(
    "with `%s`, the node that takes the task over logs and counts it once",
    async (policy, text) => {
      const { serve, loseDuring, log } = setUp({ onLostWorker: policy });
      const { server, lose, reached } = await loseDuring((_call, hang) => hang());
      const taskId = await (await connect(server)).create("work");
      await reached;
      lose();
      const next = serve(() => "done").server;
      await (await connect(next)).settled(taskId);
      const takeovers = log.filter(({ event }) => event === "task-taken-over");
      expect(takeovers).toEqual([
        {
          level: "warning",
          event: "task-taken-over",
          operation: "tasks",
          name: "work",
          message: `Tool "work": ${text}`,
        },
      ]);
      expect(next.operations.logCounts.get("task-taken-over")).toBe(1);
    },
  );

  test("fails the task by default", async () => {
    const { serve, loseDuring } = setUp({});
    const { server, lose, reached } = await loseDuring((_call, hang) => hang());
    const taskId = await (await connect(server)).create("work");
    await reached;
    lose();
    let runs = 0;
    const { settled } = await connect(serve(() => ++runs).server);
    expect(await settled(taskId)).toMatchObject({
      status: "failed",
      statusMessage: "The worker stopped before the task finished.",
      error: { code: -32603, message: "The worker stopped before the task finished." },
    });
    expect(runs).toBe(0);
  });

  test("with `retry`, the handler runs again with its answers and the results of its steps", async () => {
    const effects: string[] = [];
    const handler = async (call: Call, hang?: () => Promise<never>) => {
      const step = await call.once("order", () => effects.push("order"));
      const { action } = await call.input("sure", SURE);
      await hang?.();
      return `${step}, ${action}`;
    };
    const { serve, loseDuring } = setUp({ onLostWorker: "retry" });
    const { server, lose, reached } = await loseDuring(handler);
    const first = await connect(server);
    const taskId = await first.create("work");
    await first.until(taskId, "input_required");
    await first.answer(taskId, { sure: accept({ ok: true }) });
    await reached;
    lose();
    const { settled } = await connect(serve((call) => handler(call)).server);
    expect(textOf((await settled(taskId)).result)).toBe("1, accept");
    expect(effects).toEqual(["order"]);
  });

  test("with `retry`, a step whose outcome is unknown fails the task", async () => {
    const { serve, loseDuring } = setUp({ onLostWorker: "retry" });
    const { server, lose, reached } = await loseDuring((call, hang) => call.once("charge", hang));
    const taskId = await (await connect(server)).create("work");
    await reached;
    lose();
    let charges = 0;
    const { settled } = await connect(serve((call) => call.once("charge", () => ++charges)).server);
    expect(await settled(taskId)).toMatchObject({
      status: "failed",
      error: {
        code: -32603,
        message: 'The worker stopped during the step "charge", so its outcome is unknown.',
      },
    });
    expect(charges).toBe(0);
  });

  test("a step that may be repeated runs again", async () => {
    let runs = 0;
    const { serve, loseDuring } = setUp({ onLostWorker: "retry" });
    const { server, lose, reached } = await loseDuring((call, hang) =>
      call.once(
        "fetch",
        () => {
          runs++;
          return hang();
        },
        { retry: true },
      ),
    );
    const taskId = await (await connect(server)).create("work");
    await reached;
    lose();
    const next = serve((call) => call.once("fetch", () => `run ${++runs}`, { retry: true }));
    const { settled } = await connect(next.server);
    expect(textOf((await settled(taskId)).result)).toBe("run 2");
  });

  test.each([
    [undefined, 4],
    [1, 2],
    [2, 3],
  ])("with `maxLostWorkers: %s`, the task fails after %i of them", async (maxLostWorkers, count) => {
    const policy = maxLostWorkers === undefined ? {} : { maxLostWorkers };
    const { serve, loseDuring } = setUp({ onLostWorker: "retry", ...policy });
    let taskId = "";
    for (let lost = 1; lost <= count; lost++) {
      const { server, lose, reached } = await loseDuring((_call, hang) => hang());
      const { create, get } = await connect(server);
      if (taskId === "") taskId = await create("work");
      server.start();
      await reached;
      expect((await get(taskId)).status).toBe("working");
      lose();
    }
    const { settled } = await connect(serve(() => "done").server);
    expect(await settled(taskId)).toMatchObject({
      status: "failed",
      error: { code: -32603, message: `The task lost ${count} workers (limit: ${count - 1}).` },
    });
  });

  test("a task that was cancelled before is cancelled", async () => {
    const { serve, loseDuring } = setUp({ onLostWorker: "retry" });
    const gate = createGate();
    const { server, lose, reached } = await loseDuring(async (_call, hang) => {
      await hang().catch(() => undefined);
      await gate.promise;
      throw new Error("The process ended.");
    });
    const first = await connect(server);
    const taskId = await first.create("work");
    await reached;
    await first.cancel(taskId);
    lose();
    gate.open();
    const { settled } = await connect(serve(() => "done").server);
    expect((await settled(taskId)).status).toBe("cancelled");
  });
});
