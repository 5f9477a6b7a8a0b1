import { describe, expect, test } from "vitest";
import { createTaskEngine, type TaskEngine, type TaskRecord, type TaskWorker } from "tenon/tasks";
import { taskEngineContract } from "../../src/tasks/contract/task-engine-contract.js";
import type { TaskEngineHarness } from "../../src/tasks/contract/harness.js";
import { createDirectoryHarness, createMemoryHarness } from "../support/tasks/engine-harnesses.js";

describe("the embedded engine with records in memory fulfills the contract", () => {
  for (const { title, run } of taskEngineContract(createMemoryHarness())) test(title, run);
});

describe("the embedded engine with records in a directory fulfills the contract", () => {
  for (const { title, run } of taskEngineContract(createDirectoryHarness())) test(title, run);
});

/** Changes some methods of an engine. */
type Breakage = (engine: TaskEngine) => Partial<TaskEngine>;

/** Copies a value the way a careless engine would: `__proto__` becomes the prototype. */
function copyCarelessly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyCarelessly);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = copyCarelessly(item);
  return copy;
}

/** Wraps the worker that an engine gets. */
const withWorker =
  (wrap: (worker: TaskWorker) => TaskWorker): Breakage =>
  (engine) => ({ work: (worker) => engine.work(wrap(worker)) });

const BROKEN: Readonly<Record<string, Breakage>> = {
  "ignores the expected version": (engine) => ({
    async write(change) {
      const stored = await engine.read(change.record.taskId);
      return stored !== undefined && engine.write({ ...change, expectedVersion: stored.version });
    },
  }),
  "accepts writes to unknown tasks": (engine) => ({
    write: async (change) => (await engine.read(change.record.taskId)) === undefined || engine.write(change),
  }),
  "creates tasks that are unknown": (engine) => ({
    async write(change) {
      if ((await engine.read(change.record.taskId)) === undefined) await engine.create(change.record);
      return engine.write(change);
    },
  }),
  "uses a digest as the version": (engine) => ({
    async read(taskId) {
      const stored = await engine.read(taskId);
      return stored && { ...stored, version: JSON.stringify(stored.record) };
    },
    async write(change) {
      const stored = await engine.read(change.record.taskId);
      if (stored === undefined || JSON.stringify(stored.record) !== change.expectedVersion) return false;
      return engine.write({ ...change, expectedVersion: stored.version });
    },
  }),
  "stores new tasks late": (engine) => ({
    async create(record) {
      setTimeout(() => void engine.create(record).catch(() => undefined), 20);
    },
  }),
  "loses keys": (engine) => ({
    create: (record) => engine.create(copyCarelessly(record) as TaskRecord), // Safe: a copy
  }),
  "forgets watchers": () => ({ watch: async () => () => undefined }),
  "ignores unwatch": (engine) => ({
    async watch(taskId, listener) {
      await engine.watch(taskId, listener);
      return () => undefined;
    },
  }),
  "calls watchers before the write": (engine) => {
    const listeners = new Set<() => void>();
    return {
      async watch(_taskId, listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async write(change) {
        for (const listener of listeners) listener();
        await new Promise((resolve) => setTimeout(resolve, 5));
        return engine.write(change);
      },
    };
  },
  "never queues a task again": (engine) => ({ write: (change) => engine.write({ ...change, queue: false }) }),
  "queues a task after every write": (engine) => ({
    write: (change) => engine.write({ ...change, queue: true }),
  }),
  "queues a task although the write failed": (engine) => {
    const workers: TaskWorker[] = [];
    return {
      work(worker) {
        workers.push(worker);
        return engine.work(worker);
      },
      async write(change) {
        const isWritten = await engine.write(change);
        if (!isWritten && change.queue === true) void workers[0]?.run(change.record.taskId);
        return isWritten;
      },
    };
  },
  "runs tasks twice": withWorker((worker) => ({
    run: async (taskId) => {
      await worker.run(taskId);
      await worker.run(taskId);
    },
    report: (error) => worker.report(error),
  })),
  "runs tasks one at a time": (engine) => {
    let last = Promise.resolve();
    return withWorker((worker) => ({
      run: (taskId) => (last = last.then(() => worker.run(taskId))),
      report: (error) => worker.report(error),
    }))(engine);
  },
  "runs a task twice at the same time": (engine) => {
    const workers: TaskWorker[] = [];
    return {
      work(worker) {
        workers.push(worker);
        return engine.work(worker);
      },
      async write({ queue = false, ...change }) {
        const isWritten = await engine.write(change);
        if (isWritten && queue) void workers[0]?.run(change.record.taskId);
        return isWritten;
      },
    };
  },
  "drops some tasks": withWorker((worker) => ({
    run: async (taskId) => (taskId.endsWith("3") ? undefined : worker.run(taskId)),
    report: (error) => worker.report(error),
  })),
  "does not wait for running tasks": (engine) => ({
    work(worker) {
      const stop = engine.work(worker);
      return async () => void stop();
    },
  }),
  "continues after its worker stopped": (engine) => ({
    work(worker) {
      engine.work(worker);
      return async () => undefined;
    },
  }),
  "ignores which worker serves a task": withWorker((worker) => ({
    run: (taskId) => worker.run(taskId),
    report: (error) => worker.report(error),
  })),
  "loses tasks that no worker serves": (engine) => {
    const workers: TaskWorker[] = [];
    return {
      work(worker) {
        workers.push(worker);
        return engine.work(worker);
      },
      async create(record) {
        if (workers.length > 0 || record.tool !== "other") await engine.create(record);
      },
    };
  },
  "waits for the tasks of all workers": (engine) => {
    const runs = new Set<Promise<void>>();
    return {
      work(worker) {
        const stop = engine.work({
          ...worker,
          run: (taskId) => {
            const run = worker.run(taskId);
            runs.add(run);
            return run.finally(() => runs.delete(run));
          },
        });
        return async () => {
          await Promise.all([stop(), ...runs]);
        };
      },
    };
  },
  "forgets the unfinished runs of stopped workers": (engine) => {
    const started = new Set<string>();
    return withWorker((worker) => ({
      ...worker,
      run: async (taskId) => {
        if ((await engine.read(taskId))?.record.isRunning === true && started.has(taskId)) return;
        started.add(taskId);
        await worker.run(taskId);
      },
    }))(engine);
  },
  "accepts tasks after `close`": (engine) => {
    let isClosed = false;
    return {
      create: async (record) => (isClosed ? undefined : engine.create(record)),
      close: () => {
        isClosed = true;
        return engine.close();
      },
    };
  },
  "accepts writes after `close`": (engine) => {
    let isClosed = false;
    return {
      write: async (change) => isClosed || engine.write(change),
      close: () => {
        isClosed = true;
        return engine.close();
      },
    };
  },
  "never deletes tasks": (engine) => ({
    create: (record) => engine.create({ ...record, deleteAt: null }),
    write: (change) => engine.write({ ...change, record: { ...change.record, deleteAt: null } }),
  }),
  "rejects a second close": (engine) => {
    let isClosed = false;
    return {
      async close() {
        if (isClosed) throw new Error("closed");
        isClosed = true;
        await engine.close();
      },
    };
  },
};

/** A case that each of the broken engines fails. Others may fail as well. */
const EXPECTED: Readonly<Record<string, string>> = {
  "ignores the expected version": "a write with an old version changes nothing",
  "accepts writes to unknown tasks": "an unknown task is not found and cannot be written",
  "creates tasks that are unknown": "an unknown task is not found and cannot be written",
  "uses a digest as the version": "every write creates a new version, and reads do not",
  "stores new tasks late": "a created task can be read at once",
  "loses keys": "records keep every text, key, and number",
  "forgets watchers": "a task can be watched before it exists",
  "ignores unwatch": "a watcher is not called after `unwatch` or for other tasks",
  "calls watchers before the write": "a watcher is called after every write, when the new record can be read",
  "never queues a task again": "a task runs once more for every write that queues it",
  "queues a task after every write": "a write that does not queue the task, or that fails, does not run it",
  "queues a task although the write failed":
    "a write that does not queue the task, or that fails, does not run it",
  "runs tasks twice":
    "every task runs exactly once, whether it was created before or after the worker started",
  "runs a task twice at the same time":
    "a task that is queued while it runs runs again afterwards, not at the same time",
  "runs tasks one at a time": "a slow task does not delay the others",
  "drops some tasks":
    "every task runs exactly once, whether it was created before or after the worker started",
  "does not wait for running tasks": "a stopped worker waits for its running tasks and starts no others",
  "continues after its worker stopped": "a stopped worker waits for its running tasks and starts no others",
  "ignores which worker serves a task":
    "a task runs only on a worker that serves it, and waits until there is one",
  "loses tasks that no worker serves":
    "a task runs only on a worker that serves it, and waits until there is one",
  "waits for the tasks of all workers": "a stopped worker does not wait for the tasks of others",
  "forgets the unfinished runs of stopped workers":
    "a run that a stopped worker left unfinished is given to the next worker",
  "accepts tasks after `close`": "`create` and `write` are rejected after `close`",
  "accepts writes after `close`": "`create` and `write` are rejected after `close`",
  "never deletes tasks": "a task is deleted when its `deleteAt` has passed, and not before",
  "rejects a second close": "`close` can be called more than once",
  "loses all tasks": "records in every status survive the process unchanged",
  "does not run unfinished tasks": "tasks that were running run again in the next process",
  "runs finished and waiting tasks": "tasks that wait or have finished do not run in the next process",
  "loses the last writes": "no acknowledged write is lost when the process ends during others",
};

/** Creates an engine with changed methods. */
function breakEngine(engine: TaskEngine, breakage: Breakage): TaskEngine {
  return {
    create: (record) => engine.create(record),
    read: (taskId) => engine.read(taskId),
    write: (change) => engine.write(change),
    watch: (taskId, listener) => engine.watch(taskId, listener),
    work: (worker) => engine.work(worker),
    close: () => engine.close(),
    ...breakage(engine),
  };
}

/** Runs the whole contract and returns the titles of the cases that fail. Each case has its own harness. */
async function findFailures(create: () => TaskEngineHarness, timeoutMs = 300): Promise<readonly string[]> {
  const casesOf = () => taskEngineContract({ ...create(), timeoutMs, quietMs: 30 });
  const outcomes = casesOf().map(async ({ title }, index) => {
    const own = casesOf()[index];
    const failure = await own?.run().catch((error: unknown) => error);
    if (failure === undefined) return [];
    expect(failure).toBeInstanceOf(Error);
    return [title];
  });
  return (await Promise.all(outcomes)).flat();
}

describe("the contract finds broken engines", () => {
  test.each([
    ["memory", createMemoryHarness],
    ["a directory", createDirectoryHarness],
  ])("an engine in %s without a fault has no failures", async (_name, create) => {
    expect(await findFailures(create, 30_000)).toEqual([]);
  });

  test.each(Object.entries(BROKEN))("an engine that %s fails", async (name, breakage) => {
    const create = (): TaskEngineHarness => {
      const { createEngine, clock } = createMemoryHarness();
      return {
        ...(clock === undefined ? {} : { clock }),
        createEngine: async (limits) => breakEngine(await createEngine(limits), breakage),
      };
    };
    expect(await findFailures(create)).toContain(EXPECTED[name]);
  });

  test("an engine that ignores its limits fails every case about limits", async () => {
    const harness: TaskEngineHarness = { createEngine: () => createTaskEngine() };
    const { limits = [] } = createMemoryHarness();
    const failures = await findFailures(() => ({ ...harness, limits }), 10_000);
    const plain = new Set(taskEngineContract(harness).map(({ title }) => title));
    const all = taskEngineContract({ ...harness, limits }).map(({ title }) => title);
    // Nothing is rejected, so there is always room.
    const expected = all.filter((title) => !plain.has(title) && !title.includes("makes room"));
    expect(expected.length).toBeGreaterThan(limits.length - 1);
    expect(failures).toEqual(expected);
  });
});

/** Engines whose tasks survive, with faults that show only in the next process. */
const BROKEN_REOPENING: Readonly<Record<string, Breakage>> = {
  "loses all tasks": () => breakEngine(createTaskEngine(), () => ({})),
  "does not run unfinished tasks": withWorker((worker) => ({
    run: async (taskId) => (taskId === "sentinel" ? worker.run(taskId) : undefined),
    report: (error) => worker.report(error),
  })),
  "runs finished and waiting tasks": (engine) => ({
    work(worker) {
      for (const taskId of ["waiting", "finished"]) void worker.run(taskId);
      return engine.work(worker);
    },
  }),
  "loses the last writes": (engine) => ({
    async read(taskId) {
      const stored = await engine.read(taskId);
      return stored && { ...stored, record: { ...stored.record, run: 0 } };
    },
  }),
};

describe("the contract finds broken durable engines", () => {
  test.each(Object.entries(BROKEN_REOPENING))("an engine that %s fails", async (name, breakage) => {
    const create = (): TaskEngineHarness => {
      const harness = createDirectoryHarness();
      const { reopen } = harness;
      if (reopen === undefined) throw new Error("The harness must be able to reopen an engine.");
      // Not a copy with methods, because a second loss must find the original engine.
      const originals = new Map<TaskEngine, TaskEngine>();
      return {
        ...harness,
        reopen: async (engine) => {
          const next = await reopen(originals.get(engine) ?? engine);
          const broken = breakEngine(next, breakage);
          originals.set(broken, next);
          return broken;
        },
      };
    };
    expect(await findFailures(create)).toContain(EXPECTED[name]);
  });
});
