import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createMemoryKeyValueStore, createMemoryStore, type KeyValueStore } from "../../src/stores/index.js";
import { createMemoryBus } from "../../src/stores/memory-bus.js";
import { createMemoryEventLog } from "../../src/stores/memory-event-log.js";
import { createMemoryRateLimits } from "../../src/stores/memory-rate-limits.js";
import {
  busContract,
  eventLogContract,
  keyValueContract,
  rateLimitsContract,
  sessionRecordsContract,
} from "../../src/stores/contract/store-contracts.js";
import type { ContractCase } from "../../src/tasks/contract/harness.js";
import type { StoreHarness } from "../../src/stores/contract/harness.js";

const FULL = { name: "StoreError", code: "full" };

const CONTRACTS: Readonly<Record<string, readonly ContractCase[]>> = {
  "key-value store": keyValueContract(withClock((ports) => createMemoryKeyValueStore({ ports }))),
  "event log": eventLogContract(withClock((ports, limits) => createMemoryEventLog({ ...limits, ports }))),
  bus: busContract(withClock(() => createMemoryBus())),
  "rate limiter": rateLimitsContract(withClock((ports) => createMemoryRateLimits({ ports }))),
  "records of sessions as a key-value store": keyValueContract(
    withClock((ports): KeyValueStore => createMemoryStore({ ports }).sessions),
  ),
  "records of sessions": sessionRecordsContract(
    withClock((ports, sessions) => createMemoryStore({ ports, sessions }).sessions),
  ),
};

describe.each(Object.entries(CONTRACTS))("the in-memory %s fulfills the contract", (_name, cases) => {
  test.each(cases.map(({ title, run }) => [title, run] as const))("%s", (_title, run) => run());
});

describe("the in-memory key-value store is limited", () => {
  test("a key above the limit is rejected until one expires or is deleted", async () => {
    const { ports, pass } = clock();
    const store = createMemoryKeyValueStore({ maxKeys: 2, ports });
    await store.set("a", "1", { ttlMs: 100 });
    await store.set("b", "1");
    await expect(store.set("c", "1")).rejects.toMatchObject(FULL);
    await expect(store.compareAndSet("c", null, { value: "1" })).rejects.toMatchObject(FULL);
    await store.set("b", "2");
    pass(100);
    await store.set("c", "1");
    await expect(store.set("a", "1")).rejects.toMatchObject(FULL);
    await store.delete("b");
    await store.set("a", "1");
    expect((await store.get("c"))?.value).toBe("1");
  });

  test("a write above the byte limit is rejected, and the entry is unchanged", async () => {
    const store = createMemoryKeyValueStore({ maxTotalBytes: 2 * (100 + 1 + 10) });
    await store.set("a", "0123456789");
    await store.set("b", "0123456789");
    await expect(store.set("b", "0123456789x")).rejects.toMatchObject(FULL);
    await expect(store.set("b", "012345678ä")).rejects.toMatchObject(FULL);
    expect((await store.get("b"))?.value).toBe("0123456789");
    await store.set("a", "012345678");
    await store.set("b", "0123456789x");
  });

  test("the memory for thousands of writes, deletions, and expirations is freed", async () => {
    const { ports, pass } = clock();
    const store = createMemoryKeyValueStore({ maxTotalBytes: 2000, ports });
    for (let n = 0; n < 5000; n++) {
      await store.set(`key ${n}`, "x".repeat(n % 300), n % 3 === 0 ? {} : { ttlMs: (n % 7) + 1 });
      if (n % 3 === 0) await store.delete(`key ${n}`);
      pass(2);
    }
    pass(10);
    await store.set("k", "x".repeat(1899));
  });

  test("one long value uses the space of many expired ones", async () => {
    const { ports, pass } = clock();
    const store = createMemoryKeyValueStore({ maxTotalBytes: 10_000, ports });
    for (let n = 0; n < 90; n++) await store.set(`key ${n}`, "", { ttlMs: 100 });
    await expect(store.set("long", "x".repeat(9000))).rejects.toMatchObject(FULL);
    pass(100);
    await store.set("long", "x".repeat(9000));
  });

  test("exactly the unexpired entries are readable and counted", async () => {
    const key = fc.nat({ max: 8 }).map(String);
    const ttlMs = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined });
    const step = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), key, ttlMs }),
      fc.record({ kind: fc.constant("touch" as const), key, ttlMs: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ kind: fc.constant("delete" as const), key }),
      fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { ports, pass } = clock();
        const store = createMemoryKeyValueStore({ maxKeys: 4, ports });
        const model = new Map<string, number>();
        for (const step of steps) {
          if (step.kind === "wait") pass(step.ms);
          for (const [key, at] of model) if (at <= ports.now()) model.delete(key);
          if (step.kind === "delete") expect(await store.delete(step.key)).toBe(model.delete(step.key));
          if (step.kind === "touch") {
            expect(await store.touch(step.key, step.ttlMs)).toBe(model.has(step.key));
            if (model.has(step.key)) model.set(step.key, ports.now() + step.ttlMs);
          }
          if (step.kind === "set") {
            const options = step.ttlMs === undefined ? {} : { ttlMs: step.ttlMs };
            if (model.has(step.key) || model.size < 4) {
              await store.set(step.key, step.key, options);
              model.set(step.key, ports.now() + (step.ttlMs ?? Number.POSITIVE_INFINITY));
            } else await expect(store.set(step.key, "", options)).rejects.toMatchObject(FULL);
          }
        }
        for (let n = 0; n <= 8; n++) {
          expect((await store.get(String(n)))?.value).toBe(model.has(String(n)) ? String(n) : undefined);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("thousands of entries that expire together leave room for as many", async () => {
    const { ports, pass } = clock();
    const store = createMemoryKeyValueStore({ maxKeys: 5000, ports });
    for (let n = 0; n < 5000; n++) await store.set(`key ${n}`, "", { ttlMs: 1000 });
    pass(1000);
    expect(await store.get("key 4999")).toBeUndefined();
    for (let n = 0; n < 5000; n++) await store.set(`new ${n}`, "");
    await expect(store.set("one more", "")).rejects.toMatchObject(FULL);
  });
});

describe("the in-memory records of sessions are limited", () => {
  test("the owner with the most records makes room for bytes too, and a record that never fits changes nothing", async () => {
    const { sessions } = createMemoryStore({ sessions: { maxTotalBytes: 4 * (100 + 3 + 3 + 10) } });
    const create = (key: string, length = 10) =>
      sessions.create(key, { value: "x".repeat(length), owner: key.slice(0, 2), ttlMs: 60_000, label: key });
    for (const key of ["bb1", "aa1", "aa2", "aa3"]) await create(key);
    await expect(create("cc1", 1_000)).rejects.toMatchObject(FULL);
    expect(await create("cc1", 11)).toEqual({ created: true, displaced: ["aa1", "aa2"] });
    expect((await sessions.get("bb1"))?.value).toBe("x".repeat(10));
  });
});

describe("the in-memory event log is limited", () => {
  test("a stream above the limit is rejected until one expires or is deleted", async () => {
    const { ports, pass } = clock();
    const log = createMemoryEventLog({ maxStreams: 2, ttlMs: 100, ports });
    await log.append("a", "1");
    pass(50);
    await log.append("b", "1");
    await expect(log.append("c", "1")).rejects.toMatchObject(FULL);
    await log.append("b", "2");
    pass(50);
    await log.append("c", "1");
    await expect(log.append("a", "1")).rejects.toMatchObject(FULL);
    await log.delete("b");
    await log.append("a", "1");
  });

  test("an append above the total byte limit is rejected, and no stream loses an event", async () => {
    const log = createMemoryEventLog({ maxTotalBytes: 2 * (100 + 1) + 4 * (100 + 1 + 99), maxEvents: 3 });
    const append = (stream: string, id: string) => log.append(stream, "x".repeat(99), { id });
    await append("a", "1");
    await append("a", "2");
    await append("a", "3");
    await append("b", "1");
    await expect(append("b", "2")).rejects.toMatchObject(FULL);
    await expect(append("c", "1")).rejects.toMatchObject(FULL);
    expect(await log.read("c")).toEqual({ ok: true, events: [] });
    await append("a", "4");
    const read = await log.read("a");
    expect(read.ok && read.events.map(({ id }) => id)).toEqual(["2", "3", "4"]);
    await log.delete("a");
    await append("b", "2");
    await append("b", "3");
  });

  test("a caller that uses the next generated id does not block the log", async () => {
    const log = createMemoryEventLog({ ports: { randomBytes: (length) => new Uint8Array(length) } });
    const first = await log.append("a", "1");
    const guess = first.replace(/0$/, "1");
    await log.append("a", "2", { id: guess });
    const third = await log.append("a", "3");
    expect(new Set([first, guess, third]).size).toBe(3);
  });

  test("an id from before a restart is unknown", async () => {
    const [before, after] = [createMemoryEventLog(), createMemoryEventLog()];
    const id = await before.append("a", "1");
    await after.append("a", "1");
    expect(await after.read("a", id)).toEqual({ ok: false, reason: "unknown-id" });
  });
});

describe("the in-memory bus is limited", () => {
  test("a subscription above the limit is rejected until one ends", async () => {
    const bus = createMemoryBus({ maxSubscriptions: 2 });
    const stop = await bus.subscribe("a", () => {});
    await bus.subscribe("b", () => {});
    await expect(bus.subscribe("a", () => {})).rejects.toMatchObject(FULL);
    await stop();
    await stop();
    await bus.subscribe("a", () => {});
    await expect(bus.subscribe("a", () => {})).rejects.toMatchObject(FULL);
  });

  test("a listener that unsubscribes during delivery does not receive the message", async () => {
    const bus = createMemoryBus();
    const heard: string[] = [];
    const stop = await bus.subscribe("a", (message) => void heard.push(message));
    const published = bus.publish("a", "1");
    await stop();
    await published;
    expect(heard).toEqual([]);
  });

  test("a listener that subscribes during delivery does not receive the message", async () => {
    const bus = createMemoryBus();
    const heard: string[] = [];
    await bus.subscribe("a", () => {});
    const published = bus.publish("a", "1");
    await Promise.all([published, bus.subscribe("a", (message) => void heard.push(message))]);
    expect(heard).toEqual([]);
  });

  test("errors of listeners are passed to onListenerError, which may throw too", async () => {
    const told = vi.fn(() => {
      throw new Error("from onListenerError");
    });
    const bus = createMemoryBus({ onListenerError: told });
    const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
    await bus.subscribe("a", () => {
      throw thrown;
    });
    await bus.subscribe("a", () => Promise.reject(rejected));
    await bus.publish("a", "1");
    await vi.waitFor(() =>
      expect(told.mock.calls).toEqual([
        [thrown, "a"],
        [rejected, "a"],
      ]),
    );
  });
});

describe("the in-memory rate limiter is limited", () => {
  test("a flood of new keys does not evict the counter of a client that is near its limit", async () => {
    const limits = createMemoryRateLimits({ maxKeys: 10 });
    const rule = { limit: 4, windowMs: 60_000 };
    await limits.consume("attacker", 3, rule);
    for (let n = 0; n < 1000; n++) await limits.consume(`new ${n}`, 1, rule);
    expect((await limits.peek("attacker", rule))?.remaining).toBe(1);
    expect(await limits.peek("new 0", rule)).toBeUndefined();
  });
});

describe("invalid limits are rejected", () => {
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("%d", (bound) => {
    const made = [
      () => createMemoryKeyValueStore({ maxKeys: bound }),
      () => createMemoryKeyValueStore({ maxTotalBytes: bound }),
      () => createMemoryEventLog({ maxEvents: bound }),
      () => createMemoryEventLog({ maxBytes: bound }),
      () => createMemoryEventLog({ ttlMs: bound }),
      () => createMemoryEventLog({ maxStreams: bound }),
      () => createMemoryEventLog({ maxTotalBytes: bound }),
      () => createMemoryBus({ maxSubscriptions: bound }),
      () => createMemoryRateLimits({ maxKeys: bound }),
    ];
    for (const make of made) expect(make).toThrow(TypeError);
  });
});

/** Clock that only advances when a test calls it. */
function clock() {
  let now = 1_700_000_000_000;
  return {
    ports: { now: () => now },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

/** Creates the harness for a store with a movable clock. Both nodes of a case use the same store. */
function withClock<Store, Limits>(
  createStore: (ports: { readonly now: () => number }, limits: Limits) => Store,
): StoreHarness<Store, Limits> {
  const { ports, pass } = clock();
  return {
    createStore: (limits) => createStore(ports, limits),
    createPeer: (store) => store,
    clock: { now: ports.now, advance: pass },
    runs: 100,
    quietMs: 5,
  };
}
