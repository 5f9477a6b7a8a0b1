import { expect, test, vi } from "vitest";
import type { EngineLimits, TaskEngine, TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../../src/tasks/contract/records.js";
import { createHost, link, type Linked } from "../../support/transport/workers/linked.js";

const LIMITS: EngineLimits = {
  concurrency: 2,
  concurrencyPerPrincipal: 16,
  maxTasks: 100,
  maxTasksPerPrincipal: 100,
  maxTotalBytes: 1_048_576,
};
const NO_SEALER = { seal: async (text: string) => text, open: async (sealed: string) => sealed };

const openEngine = ({ store }: Linked): TaskEngine =>
  store.createTaskEngine({ server: "test", sealer: NO_SEALER, limits: LIMITS });

const task = (taskId: string, hasContext = false): TaskRecord => {
  const record = createTaskRecord(Date.now(), { taskId });
  return { ...record, request: { ...record.request, hasContext } };
};

/** Worker whose runs end when the test ends them. */
function createWorker(engine: TaskEngine) {
  const running = new Map<string, () => void>();
  const started: string[] = [];
  const reported: unknown[] = [];
  const stop = engine.work({
    run: (taskId) => {
      started.push(taskId);
      return new Promise((resolve) => running.set(taskId, resolve));
    },
    report: (error) => reported.push(error),
  });
  return { running, started, reported, stop };
}

test("tasks are spread over the processes", async () => {
  const { host } = createHost({}, 2);
  const [first, second] = [link(host), link(host)];
  const engines = [openEngine(first), openEngine(second)] as const;
  const workers = engines.map(createWorker);
  for (const taskId of ["1", "2", "3", "4"]) await engines[0].create(task(taskId));
  await vi.waitFor(() => expect(workers.map(({ running }) => running.size)).toEqual([2, 2]));
});

test("a process never runs more than `concurrency` tasks, and the others wait", async () => {
  const { host } = createHost({}, 2);
  const engine = openEngine(link(host));
  const worker = createWorker(engine);
  for (const taskId of ["1", "2", "3"]) await engine.create(task(taskId));
  await vi.waitFor(() => expect(worker.started).toHaveLength(2));
  // A round trip later, a third task would have started.
  await engine.read("3");
  expect(worker.started).toHaveLength(2);
  worker.running.get(worker.started[0] ?? "")?.();
  await vi.waitFor(() => expect(worker.started).toHaveLength(3));
});

test("a task whose request had a context runs in the process that created it", async () => {
  const { host } = createHost({}, 2);
  const engines = [openEngine(link(host)), openEngine(link(host))] as const;
  const workers = engines.map(createWorker);
  for (const taskId of ["1", "2", "3", "4"]) await engines[1].create(task(taskId, true));
  await vi.waitFor(() => expect(workers[1]?.started).toHaveLength(2));
  for (const end of workers[1]?.running.values() ?? []) end();
  await vi.waitFor(() => expect(workers[1]?.started).toHaveLength(4));
  expect(workers[0]?.started).toEqual([]);
});

test("a task waits for the process that has its context, even if that process replies late", async () => {
  const { host } = createHost({}, 2);
  const [late, other] = [link(host, {}, 50), link(host)];
  const engines = [openEngine(late), openEngine(other)] as const;
  const workers = engines.map(createWorker);
  await engines[0].create(task("1", true));
  await vi.waitFor(() => expect(workers.flatMap(({ started }) => started)).toHaveLength(1));
  expect(workers[0]?.started).toEqual(["1"]);
});

test("the tasks of a process that ends run in another one, and its watchers and subscriptions are removed", async () => {
  const { host, store } = createHost({ bus: { maxSubscriptions: 1 } }, 2);
  const [first, second] = [link(host), link(host)];
  const engines = [openEngine(first), openEngine(second)] as const;
  const lost = createWorker(engines[0]);
  await engines[0].create(task("1", true));
  await vi.waitFor(() => expect(lost.started).toEqual(["1"]));
  await engines[0].watch("1", () => undefined);
  await first.store.bus.subscribe("news", () => undefined);
  const next = createWorker(engines[1]);
  first.cut();
  await vi.waitFor(() => expect(next.started).toEqual(["1"]));
  // The store allows one subscription, so that of the ended process must be gone.
  await vi.waitFor(async () => {
    await (
      await store.bus.subscribe("news", () => undefined)
    )();
  });
});

test("a call of a process that has ended is rejected", async () => {
  const { host } = createHost();
  const linked = link(host);
  await linked.store.ping();
  linked.cut();
  await expect(linked.store.values.get("key")).rejects.toThrow(
    "The connection to the other process was closed.",
  );
});

test("tasks are counted for metrics", async () => {
  const { host } = createHost();
  const linked = link(host);
  const engine = openEngine(linked);
  const worker = createWorker(engine);
  for (const taskId of ["1", "2", "3"]) await engine.create(task(taskId));
  await vi.waitFor(() => expect(worker.started).toHaveLength(2));
  expect(await linked.store.countTasks?.()).toEqual({ queued: 1, active: 2, stored: 3 });
});

test("a stopped worker gets no more tasks, and its unfinished run goes to another process", async () => {
  const { host } = createHost({}, 2);
  const engines = [openEngine(link(host)), openEngine(link(host))] as const;
  const first = createWorker(engines[0]);
  await engines[0].create(task("1"));
  await vi.waitFor(() => expect(first.started).toEqual(["1"]));
  const stored = await engines[0].read("1");
  if (stored === undefined) throw new Error("The task is missing.");
  await engines[0].write({ record: { ...stored.record, isRunning: true }, expectedVersion: stored.version });
  const second = createWorker(engines[1]);
  const stopped = first.stop();
  first.running.get("1")?.();
  await stopped;
  await vi.waitFor(() => expect(second.started).toEqual(["1"]));
});

test.each<[string, readonly unknown[]]>([
  ["values.get", []],
  ["values.get", [{}]],
  ["values.set", ["key"]],
  ["values.set", ["key", "value", "soon"]],
  ["values.set", ["x".repeat(2_000), "value"]],
  ["events.read", [1]],
  ["bus.subscribe", ["news", "one"]],
  ["rateLimits.consume", ["key", 1, null, null]],
  ["tasks.open", ["test", {}]],
  ["tasks.open", ["test", { ...LIMITS, maxTasks: -1 }]],
  ["tasks.create", ["unknown", {}]],
  ["tasks.create", ["test", null]],
  ["tasks.create", ["test", { taskId: "1" }]],
  ["tasks.write", ["test", { taskId: 1 }, "1"]],
  ["tasks.watch", ["test", "1", null]],
])("the host rejects %s with %j", async (method, args) => {
  const { host } = createHost();
  const linked = link(host);
  openEngine(linked);
  await expect(linked.channel.call(method, args)).rejects.toThrow(RangeError);
  await linked.store.ping();
});

test("a process that reads slowly misses messages, and is told so", async () => {
  const { host, store } = createHost();
  const linked = link(host, { maxQueued: 1_000 });
  const received: string[] = [];
  let gaps = 0;
  await linked.store.bus.subscribe("news", (message) => void received.push(message), { onGap: () => gaps++ });
  for (let n = 0; n < 5; n++) void store.bus.publish("news", "x".repeat(800));
  await vi.waitFor(() => expect(gaps).toBe(1));
  expect(received.length).toBeLessThan(5);
  await store.bus.publish("news", "last");
  await vi.waitFor(() => expect(received.at(-1)).toBe("last"));
});

test("all processes get the same secrets, as bytes", async () => {
  const { host, store } = createHost();
  const secrets = await link(host).store.secrets();
  expect(secrets).toEqual(await store.secrets());
  expect(secrets[0]).toBeInstanceOf(Uint8Array);
});
