import { describe, expect, test, vi } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import { taskEngineContract } from "../../src/tasks/contract/task-engine-contract.js";
import type { TaskEngine, TaskRecord } from "tenon/tasks";

const LIMITS = {
  concurrency: 64,
  concurrencyPerPrincipal: 16,
  maxTasks: 1000,
  maxTasksPerPrincipal: 100,
  maxTotalBytes: 10_000_000,
};
const SEALER = { seal: async (text: string) => text, open: async (text: string) => text };

function createNode(store: SharedStore, server = "contract", limits = LIMITS): TaskEngine {
  return store.createTaskEngine({ server, sealer: SEALER, limits });
}

describe("the task engines of a memory store fulfill the contract for several nodes", () => {
  let now = Date.UTC(2026, 0, 1);
  const stores = new Map<TaskEngine, SharedStore>();
  const cases = taskEngineContract({
    limits: ["concurrency", "maxTasks", "maxTasksPerPrincipal", "maxTotalBytes"],
    clock: { now: () => now, advance: (ms) => void (now += ms) },
    createEngine(limits) {
      const store = createMemoryStore({ ports: { now: () => now } });
      const engine = createNode(store, "contract", { ...LIMITS, ...limits });
      stores.set(engine, store);
      return engine;
    },
    createPeer: (engine) => createNode(stores.get(engine) ?? createMemoryStore()),
  });
  test.each(cases.map(({ title, run }) => [title, run] as const))("%s", (_title, run) => run());
});

describe("servers that share a memory store", () => {
  test("have the same secret, and another store has a different one", async () => {
    const [store, other] = [createMemoryStore(), createMemoryStore()];
    const [secret] = await store.secrets();
    expect(secret?.length).toBe(32);
    expect(await store.secrets()).toEqual([secret]);
    expect(await other.secrets()).not.toEqual([secret]);
  });

  test("keep the content while other users close the store", async () => {
    const store = createMemoryStore();
    const warn = vi.fn();
    const [closeFirst, closeSecond] = [await store.open(warn), await store.open(warn)];
    await store.values.set("key", "a");
    await closeFirst();
    await closeFirst();
    await store.ping();
    expect((await store.values.get("key"))?.value).toBe("a");
    await closeSecond();
    expect(warn).not.toHaveBeenCalled();
  });

  test("see the tasks of servers with the same name only", async () => {
    const store = createMemoryStore();
    const [first, second, other] = [createNode(store), createNode(store), createNode(store, "other")];
    await first.create(createTaskRecord(Date.now(), { taskId: "task" }));
    expect((await second.read("task"))?.record.taskId).toBe("task");
    expect(await other.read("task")).toBeUndefined();
  });

  test("keep their tasks when a node closes, and the other node runs them", async () => {
    const store = createMemoryStore();
    const [first, second] = [createNode(store), createNode(store)];
    await first.create(createTaskRecord(Date.now(), { taskId: "task" }));
    await first.close();
    await expect(first.create(createTaskRecord(Date.now(), { taskId: "late" }))).rejects.toMatchObject({
      code: "unavailable",
    });
    const run = vi.fn(async () => undefined);
    second.work({ run, report: () => undefined });
    await vi.waitFor(() => expect(run).toHaveBeenCalledExactlyOnceWith("task"));
  });

  test("run a task that needs the context of its request on its own node, and on others if that one closes", async () => {
    const store = createMemoryStore();
    const [first, second] = [createNode(store), createNode(store)];
    const runs: string[] = [];
    const run = (node: string) => async (taskId: string) => void runs.push(`${node} ${taskId}`);
    first.work({ run: run("first"), report: () => undefined });
    await second.create(withContext("task"));
    await second.create(createTaskRecord(Date.now(), { taskId: "plain" }));
    await vi.waitFor(() => expect(runs).toEqual(["first plain"]));
    const stop = second.work({ run: run("second"), report: () => undefined });
    await vi.waitFor(() => expect(runs).toEqual(["first plain", "second task"]));
    await stop();
    await second.create(withContext("left"));
    await first.create(createTaskRecord(Date.now(), { taskId: "sentinel" }));
    await vi.waitFor(() => expect(runs).toContain("first sentinel"));
    expect(runs).not.toContain("first left");
    await second.close();
    await vi.waitFor(() => expect(runs).toContain("first left"));
  });

  test("apply the limits of the options", async () => {
    const store = createMemoryStore({
      sessions: { maxKeys: 1 },
      values: { maxKeys: 1 },
      events: { maxEvents: 1 },
      bus: { maxSubscriptions: 1 },
    });
    const full = { name: "StoreError", code: "full" };
    for (const values of [store.sessions, store.values]) {
      await values.set("a", "1");
      await expect(values.set("b", "1")).rejects.toMatchObject(full);
    }
    const first = await store.events.append("a", "1");
    await store.events.append("a", "2");
    expect(await store.events.read("a", first)).toMatchObject({ ok: false });
    await store.bus.subscribe("a", () => undefined);
    await expect(store.bus.subscribe("b", () => undefined)).rejects.toMatchObject(full);
  });

  test("reject unknown options", () => {
    const options: object = { session: {} };
    expect(() => createMemoryStore(options)).toThrow(
      "createMemoryStore: unknown option `session`. Did you mean `sessions`?",
    );
  });
});

function withContext(taskId: string): TaskRecord {
  const record = createTaskRecord(Date.now(), { taskId });
  return { ...record, request: { ...record.request, hasContext: true } };
}
