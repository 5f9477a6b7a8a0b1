/**
 * @fileoverview Contract cases for queues: order, exclusive delivery, and limits.
 * @module stores/contract/queue-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { Queue, QueueLimits } from "../ports.js";
import { assertRangeErrors, type StoreCase } from "./case-context.js";
import { BAD_NAMES, BAD_NUMBERS, LARGE_TEXT, times, TRICKY_NAMES, TRICKY_TEXTS } from "./samples.js";

type Case = StoreCase<Queue, QueueLimits>;

const LONG = 60_000;

/** Cases for queues, except those about leases. */
export const QUEUE_CASES: readonly Case[] = [
  {
    title: "pulling from an empty queue returns nothing",
    async run(context) {
      const queue = await context.open({});
      assertEqual("`pull`", await queue.pull("jobs", LONG), undefined);
      assertEqual("`acknowledge`", await queue.acknowledge("unknown"), false);
      assertEqual("`extend`", await queue.extend("unknown", LONG), false);
      assertEqual("`release`", await queue.release("unknown"), false);
    },
  },
  {
    title: "items are pulled in push order, each by exactly one worker",
    async run(context) {
      const [queue, peer] = await context.openBoth({});
      for (const item of ["a", "b", "c"]) assertEqual("`push`", await queue.push("jobs", item), true);
      const leases = [
        await queue.pull("jobs", LONG),
        await peer.pull("jobs", LONG),
        await queue.pull("jobs", LONG),
      ];
      assertEqual(
        "The items",
        leases.map((lease) => lease?.item),
        ["a", "b", "c"],
      );
      assertEqual("The number of lease IDs", new Set(leases.map((lease) => lease?.leaseId)).size, 3);
      assertEqual("The next `pull`", await peer.pull("jobs", LONG), undefined);
    },
  },
  {
    title: "equal items are kept separately",
    async run(context) {
      const queue = await context.open({});
      for (let n = 0; n < 3; n++) await queue.push("jobs", "same");
      for (let n = 0; n < 3; n++) {
        const lease = await queue.pull("jobs", LONG);
        assertEqual("`acknowledge`", await queue.acknowledge(lease?.leaseId ?? ""), true);
      }
      assertEqual("The next `pull`", await queue.pull("jobs", LONG), undefined);
    },
  },
  {
    title: "workers that pull concurrently never receive the same item",
    async run(context) {
      const [queue, peer] = await context.openBoth({});
      const items = times(20, (n) => `job ${n}`);
      await Promise.all(items.map((item, n) => (n % 2 === 0 ? queue : peer).push("jobs", item)));
      const leases = await Promise.all(times(30, (n) => (n % 2 === 0 ? queue : peer).pull("jobs", LONG)));
      const got = leases.flatMap((lease) => (lease === undefined ? [] : [lease.item]));
      assertEqual("The items", got.toSorted(), items.toSorted());
    },
  },
  {
    title: "similar or unusual queue names and items stay separate",
    async run(context) {
      const queue = await context.open({});
      for (const name of TRICKY_NAMES) {
        for (const item of TRICKY_TEXTS) await queue.push(name, item);
      }
      for (const name of TRICKY_NAMES) {
        for (const item of TRICKY_TEXTS) {
          assertEqual("The item", (await queue.pull(name, LONG))?.item, item);
        }
        assertEqual("The next `pull`", await queue.pull(name, LONG), undefined);
      }
    },
  },
  {
    title: "a large item is returned unchanged",
    async run(context) {
      const [queue, peer] = await context.openBoth({});
      await queue.push("jobs", LARGE_TEXT);
      assertEqual("The item", (await peer.pull("jobs", LONG))?.item, LARGE_TEXT);
    },
  },
  ...BAD_NAMES.map((name): Case => ({
    title: `a queue name with ${name.length} characters is rejected`,
    async run(context) {
      const queue = await context.open({});
      await assertRangeErrors({ push: queue.push(name, "a"), pull: queue.pull(name, LONG) });
    },
  })),
  ...BAD_NUMBERS.map((ms): Case => ({
    title: `a duration of ${ms} is rejected`,
    async run(context) {
      const queue = await context.open({});
      await assertRangeErrors({ push: queue.push("jobs", "a", { delayMs: ms }) });
      await queue.push("jobs", "a");
      await assertRangeErrors({ pull: queue.pull("jobs", ms) });
      const { leaseId = "" } = (await queue.pull("jobs", LONG)) ?? {};
      await assertRangeErrors({
        extend: queue.extend(leaseId, ms),
        release: queue.release(leaseId, { delayMs: ms }),
      });
      assertEqual("`acknowledge`", await queue.acknowledge(leaseId), true);
    },
  })),
  {
    title: "a full queue rejects items until one is acknowledged",
    async run(context) {
      const queue = await context.open({ maxItems: 2 });
      assertEqual("The first `push`", await queue.push("jobs", "a"), true);
      assertEqual("The second `push`", await queue.push("jobs", "b", { delayMs: LONG }), true);
      assertEqual("The third `push`", await queue.push("jobs", "c"), false);
      assertEqual("`push` to another queue", await queue.push("other", "c"), true);
      const lease = await queue.pull("jobs", LONG);
      assertEqual("`push` after `pull`", await queue.push("jobs", "c"), false);
      await queue.acknowledge(lease?.leaseId ?? "");
      assertEqual("`push` after `acknowledge`", await queue.push("jobs", "c"), true);
      assertEqual("The item", (await queue.pull("jobs", LONG))?.item, "c");
    },
  },
];
