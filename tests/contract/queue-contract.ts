import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Queue, QueueLimits } from "tenon/stores";
import {
  BAD_NAMES,
  BAD_TIMES,
  type ContractOptions,
  LIFETIME,
  openHarness,
  type StoreHarness,
  TRICKY_NAMES,
  TRICKY_TEXTS,
} from "./store-harness.js";

const LONG = 60_000;

/** Runs the contract that every queue must pass, regardless of its engine. */
export function describeQueueContract(
  name: string,
  create: (limits: QueueLimits) => Promise<StoreHarness<Queue>>,
  { runs = 100 }: ContractOptions = {},
): void {
  const open = (limits: QueueLimits = {}) => openHarness(() => create(limits));
  const { ttl, within, rest } = LIFETIME;

  describe(`${name} distributes work`, () => {
    test("pulling from an empty queue returns nothing", async () => {
      const { store } = await open();
      expect(await store.pull("jobs", LONG)).toBeUndefined();
      expect(await store.acknowledge("unknown")).toBe(false);
      expect(await store.extend("unknown", LONG)).toBe(false);
      expect(await store.release("unknown")).toBe(false);
    });

    test("items are pulled in push order, each by exactly one worker", async () => {
      const { store, peer } = await open();
      for (const item of ["a", "b", "c"]) expect(await store.push("jobs", item)).toBe(true);
      const leases = [
        await store.pull("jobs", LONG),
        await peer.pull("jobs", LONG),
        await store.pull("jobs", LONG),
      ];
      expect(leases.map((lease) => lease?.item)).toEqual(["a", "b", "c"]);
      expect(new Set(leases.map((lease) => lease?.leaseId)).size).toBe(3);
      expect(await peer.pull("jobs", LONG)).toBeUndefined();
    });

    test("equal items are kept separately", async () => {
      const { store } = await open();
      for (let n = 0; n < 3; n++) await store.push("jobs", "same");
      for (let n = 0; n < 3; n++) {
        const lease = await store.pull("jobs", LONG);
        expect(await store.acknowledge(lease?.leaseId ?? "")).toBe(true);
      }
      expect(await store.pull("jobs", LONG)).toBeUndefined();
    });

    test("workers that pull concurrently never receive the same item", async () => {
      const { store, peer } = await open();
      const items = Array.from({ length: 20 }, (_, n) => `job ${n}`);
      await Promise.all(items.map((item, n) => (n % 2 === 0 ? store : peer).push("jobs", item)));
      const leases = await Promise.all(
        Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? store : peer).pull("jobs", LONG)),
      );
      const got = leases.flatMap((lease) => (lease === undefined ? [] : [lease.item]));
      expect(got.toSorted()).toEqual(items.toSorted());
    });

    test("similar or unusual queue names and items stay separate", async () => {
      const { store } = await open();
      for (const queue of TRICKY_NAMES) {
        for (const item of TRICKY_TEXTS) await store.push(queue, item);
      }
      for (const queue of TRICKY_NAMES) {
        for (const item of TRICKY_TEXTS) expect((await store.pull(queue, LONG))?.item).toBe(item);
        expect(await store.pull(queue, LONG)).toBeUndefined();
      }
    });

    test.each(BAD_NAMES.map((text) => [text.length, text] as const))(
      "a queue name with %d characters is rejected",
      async (_length, queue) => {
        const { store } = await open();
        await expect(store.push(queue, "a")).rejects.toThrow(RangeError);
        await expect(store.pull(queue, LONG)).rejects.toThrow(RangeError);
      },
    );

    test.each(BAD_TIMES)("a duration of %d is rejected", async (ms) => {
      const { store } = await open();
      await expect(store.push("jobs", "a", { delayMs: ms })).rejects.toThrow(RangeError);
      await store.push("jobs", "a");
      await expect(store.pull("jobs", ms)).rejects.toThrow(RangeError);
      const { leaseId = "" } = (await store.pull("jobs", LONG)) ?? {};
      await expect(store.extend(leaseId, ms)).rejects.toThrow(RangeError);
      await expect(store.release(leaseId, { delayMs: ms })).rejects.toThrow(RangeError);
      expect(await store.acknowledge(leaseId)).toBe(true);
    });

    test("a full queue rejects items until one is acknowledged", async () => {
      const { store } = await open({ maxItems: 2 });
      expect(await store.push("jobs", "a")).toBe(true);
      expect(await store.push("jobs", "b", { delayMs: LONG })).toBe(true);
      expect(await store.push("jobs", "c")).toBe(false);
      expect(await store.push("other", "c")).toBe(true);
      const lease = await store.pull("jobs", LONG);
      expect(await store.push("jobs", "c")).toBe(false);
      await store.acknowledge(lease?.leaseId ?? "");
      expect(await store.push("jobs", "c")).toBe(true);
      expect((await store.pull("jobs", LONG))?.item).toBe("c");
    });
  });

  describe(`${name} leases items`, () => {
    test("an acknowledged item is removed, and can be acknowledged only once", async () => {
      const { store, peer, advance } = await open();
      await store.push("jobs", "a");
      const { leaseId = "" } = (await store.pull("jobs", ttl)) ?? {};
      expect(await peer.acknowledge(leaseId)).toBe(true);
      expect(await store.acknowledge(leaseId)).toBe(false);
      expect(await store.release(leaseId)).toBe(false);
      await advance(within + rest);
      expect(await store.pull("jobs", LONG)).toBeUndefined();
    });

    test("an item whose lease has expired can be pulled again, and the late worker no longer holds it", async () => {
      const { store, peer, advance } = await open();
      await store.push("jobs", "a");
      const late = await store.pull("jobs", ttl);
      expect(late).toMatchObject({ item: "a", attempt: 1 });
      const { leaseId: lateId = "" } = late ?? {};
      await advance(within);
      expect(await peer.pull("jobs", LONG)).toBeUndefined();
      await advance(rest);
      expect(await store.acknowledge(lateId)).toBe(false);
      const again = await peer.pull("jobs", LONG);
      expect(again).toMatchObject({ item: "a", attempt: 2 });
      expect(await store.acknowledge(lateId)).toBe(false);
      expect(await store.extend(lateId, LONG)).toBe(false);
      expect(await store.release(lateId)).toBe(false);
      expect(await store.pull("jobs", LONG)).toBeUndefined();
      expect(await peer.acknowledge(again?.leaseId ?? "")).toBe(true);
    });

    test("a lease can be extended until it expires", async () => {
      const { store, advance } = await open();
      await store.push("jobs", "a");
      const { leaseId = "" } = (await store.pull("jobs", ttl)) ?? {};
      for (let n = 0; n < 3; n++) {
        await advance(within);
        expect(await store.extend(leaseId, ttl)).toBe(true);
      }
      expect(await store.pull("jobs", LONG)).toBeUndefined();
      expect(await store.acknowledge(leaseId)).toBe(true);
    });

    test("a released item can be pulled immediately, after items that are already due", async () => {
      const { store, advance } = await open();
      await store.push("jobs", "a");
      const { leaseId = "" } = (await store.pull("jobs", LONG)) ?? {};
      await store.push("jobs", "b");
      await advance(5);
      expect(await store.release(leaseId)).toBe(true);
      expect(await store.acknowledge(leaseId)).toBe(false);
      expect((await store.pull("jobs", LONG))?.item).toBe("b");
      expect(await store.pull("jobs", LONG)).toMatchObject({ item: "a", attempt: 2 });
    });

    test("delayed items, whether pushed or released, wait without blocking others", async () => {
      const { store, advance } = await open();
      await store.push("jobs", "released");
      const { leaseId = "" } = (await store.pull("jobs", LONG)) ?? {};
      await store.push("jobs", "later", { delayMs: ttl });
      await store.release(leaseId, { delayMs: ttl + 50 });
      expect(await store.acknowledge(leaseId)).toBe(false);
      expect(await store.extend(leaseId, LONG)).toBe(false);
      await store.push("jobs", "now");
      expect((await store.pull("jobs", LONG))?.item).toBe("now");
      expect(await store.pull("jobs", LONG)).toBeUndefined();
      await advance(within + rest);
      expect((await store.pull("jobs", LONG))?.item).toBe("later");
      expect((await store.pull("jobs", LONG))?.item).toBe("released");
    });

    test("every pushed item is acknowledged exactly once or still queued, regardless of which leases expire", async () => {
      const index = fc.nat({ max: 9 });
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant("push" as const), delay: fc.boolean() }) },
        { weight: 4, arbitrary: fc.record({ kind: fc.constant("pull" as const), long: fc.boolean() }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("acknowledge" as const), index }) },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant("release" as const), index, delay: fc.boolean() }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("extend" as const), index }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const) }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const { store, peer, advance, close } = await create({});
          const pushed: string[] = [];
          const acknowledged: string[] = [];
          const leases: { item: string; leaseId: string }[] = [];
          for (const [turn, step] of steps.entries()) {
            const queue = turn % 2 === 0 ? store : peer;
            if (step.kind === "wait") await advance(15);
            else if (step.kind === "push") {
              const item = `job ${pushed.length}`;
              await queue.push("jobs", item, step.delay ? { delayMs: 10 } : {});
              pushed.push(item);
            } else if (step.kind === "pull") {
              const lease = await queue.pull("jobs", step.long ? 40 : 10);
              if (lease !== undefined) {
                expect(acknowledged).not.toContain(lease.item);
                leases.unshift(lease);
              }
            } else {
              const lease = leases[step.index];
              if (lease === undefined) continue;
              if (step.kind === "release")
                await queue.release(lease.leaseId, step.delay ? { delayMs: 10 } : {});
              else if (step.kind === "extend") await queue.extend(lease.leaseId, 30);
              else if (await queue.acknowledge(lease.leaseId)) acknowledged.push(lease.item);
            }
          }
          await advance(60);
          const left: string[] = [];
          for (let lease = await store.pull("jobs", LONG); lease; lease = await store.pull("jobs", LONG)) {
            left.push(lease.item);
          }
          expect([...acknowledged, ...left].toSorted()).toEqual(pushed.toSorted());
          await close();
        }),
        { numRuns: runs },
      );
    });
  });
}
