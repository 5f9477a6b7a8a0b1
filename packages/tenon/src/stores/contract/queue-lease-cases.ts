/**
 * @fileoverview Contract cases for leases and delays of queues.
 * @module stores/contract/queue-lease-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { Lease, Queue, QueueLimits } from "../ports.js";
import type { StoreCase, StoreContext } from "./case-context.js";
import type { Random } from "./samples.js";

type Context = StoreContext<Queue, QueueLimits>;

const LONG = 60_000;

/** Cases for leases. */
export const QUEUE_LEASE_CASES: readonly StoreCase<Queue, QueueLimits>[] = [
  {
    title: "an acknowledged item is removed, and can be acknowledged only once",
    async run(context) {
      const [queue, peer] = await context.openBoth({});
      const { ttl, within, rest } = context.lifetime;
      await queue.push("jobs", "a");
      const { leaseId = "" } = (await queue.pull("jobs", ttl)) ?? {};
      assertEqual("The first `acknowledge`", await peer.acknowledge(leaseId), true);
      assertEqual("The second `acknowledge`", await queue.acknowledge(leaseId), false);
      assertEqual("`release`", await queue.release(leaseId), false);
      await context.advance(within + rest);
      assertEqual("`pull`", await queue.pull("jobs", LONG), undefined);
    },
  },
  {
    title: "an item whose lease has expired can be pulled again, and the late worker no longer holds it",
    async run(context) {
      const [queue, peer] = await context.openBoth({});
      const { ttl, within, rest } = context.lifetime;
      await queue.push("jobs", "a");
      const late = await queue.pull("jobs", ttl);
      assertEqual("The attempt", late?.attempt, 1);
      const { leaseId: lateId = "" } = late ?? {};
      await context.advance(within);
      assertEqual("`pull` during the lease", await peer.pull("jobs", LONG), undefined);
      await context.advance(rest);
      assertEqual("`acknowledge` after the lease", await queue.acknowledge(lateId), false);
      const again = await peer.pull("jobs", LONG);
      assertEqual("The item", again?.item, "a");
      assertEqual("The attempt", again?.attempt, 2);
      assertEqual("`acknowledge` of the late worker", await queue.acknowledge(lateId), false);
      assertEqual("`extend` of the late worker", await queue.extend(lateId, LONG), false);
      assertEqual("`release` of the late worker", await queue.release(lateId), false);
      assertEqual("`pull` during the second lease", await queue.pull("jobs", LONG), undefined);
      assertEqual("`acknowledge`", await peer.acknowledge(again?.leaseId ?? ""), true);
    },
  },
  {
    title: "a lease can be extended until it expires",
    async run(context) {
      const queue = await context.open({});
      const { ttl, within } = context.lifetime;
      await queue.push("jobs", "a");
      const { leaseId = "" } = (await queue.pull("jobs", ttl)) ?? {};
      for (let n = 0; n < 3; n++) {
        await context.advance(within);
        assertEqual("`extend`", await queue.extend(leaseId, ttl), true);
      }
      assertEqual("`pull`", await queue.pull("jobs", LONG), undefined);
      assertEqual("`acknowledge`", await queue.acknowledge(leaseId), true);
    },
  },
  {
    title: "a released item can be pulled immediately, after items that are already due",
    async run(context) {
      const queue = await context.open({});
      await queue.push("jobs", "a");
      const { leaseId = "" } = (await queue.pull("jobs", LONG)) ?? {};
      await queue.push("jobs", "b");
      await context.advance(5);
      assertEqual("`release`", await queue.release(leaseId), true);
      assertEqual("`acknowledge` after `release`", await queue.acknowledge(leaseId), false);
      assertEqual("The first item", (await queue.pull("jobs", LONG))?.item, "b");
      const second = await queue.pull("jobs", LONG);
      assertEqual("The second item", second?.item, "a");
      assertEqual("Its attempt", second?.attempt, 2);
    },
  },
  {
    title: "delayed items, whether pushed or released, wait without blocking others",
    async run(context) {
      const queue = await context.open({});
      const { ttl, within, rest } = context.lifetime;
      await queue.push("jobs", "released");
      const { leaseId = "" } = (await queue.pull("jobs", LONG)) ?? {};
      await queue.push("jobs", "later", { delayMs: ttl });
      await queue.release(leaseId, { delayMs: ttl + 50 });
      assertEqual("`acknowledge` after `release`", await queue.acknowledge(leaseId), false);
      assertEqual("`extend` after `release`", await queue.extend(leaseId, LONG), false);
      await queue.push("jobs", "now");
      assertEqual("The item without a delay", (await queue.pull("jobs", LONG))?.item, "now");
      assertEqual("The next `pull`", await queue.pull("jobs", LONG), undefined);
      await context.advance(within + rest);
      assertEqual("The delayed item", (await queue.pull("jobs", LONG))?.item, "later");
      assertEqual("The released item", (await queue.pull("jobs", LONG))?.item, "released");
    },
  },
  {
    title: "every pushed item is acknowledged exactly once or still queued, whichever leases expire",
    async run(context) {
      await context.repeat(async (random) => {
        await runRandomWork(context, random);
        await context.end();
      });
    },
  },
];

async function runRandomWork(context: Context, random: Random): Promise<void> {
  const nodes = await context.openBoth({});
  const work: Work = { pushed: [], acknowledged: [], leases: [] };
  for (let steps = random.integer(0, 40); steps > 0; steps--) {
    const kind = random.pick(STEPS);
    if (kind === "wait") await context.advance(15);
    else await runStep(kind, { queue: random.pick(nodes), work, random });
  }
  await context.advance(60);
  const left: string[] = [];
  const [queue] = nodes;
  // One more than there can be.
  for (let pulls = 0; pulls <= work.pushed.length; pulls++) {
    const lease = await queue.pull("jobs", LONG);
    if (lease === undefined) break;
    left.push(lease.item);
  }
  assertEqual("The items", [...work.acknowledged, ...left].toSorted(), work.pushed.toSorted());
}

/** Kinds of operations, by their weight. */
const STEPS = [
  "push",
  "push",
  "push",
  "pull",
  "pull",
  "pull",
  "pull",
  "acknowledge",
  "acknowledge",
  "release",
  "extend",
  "wait",
] as const;

interface Work {
  readonly pushed: string[];
  readonly acknowledged: string[];
  /** Leases, newest first. Some of them have expired. */
  readonly leases: Lease[];
}

interface Step {
  readonly queue: Queue;
  readonly work: Work;
  readonly random: Random;
}

async function runStep(kind: (typeof STEPS)[number], { queue, work, random }: Step): Promise<void> {
  const delay = random.boolean() ? { delayMs: 10 } : {};
  if (kind === "push") {
    const item = `job ${work.pushed.length}`;
    await queue.push("jobs", item, delay);
    work.pushed.push(item);
    return;
  }
  if (kind === "pull") {
    const lease = await queue.pull("jobs", random.boolean() ? 40 : 10);
    if (lease === undefined) return;
    assertEqual("An acknowledged item was pulled", work.acknowledged.includes(lease.item), false);
    work.leases.unshift(lease);
    return;
  }
  const lease = work.leases[random.integer(0, 9)];
  if (lease === undefined) return;
  if (kind === "release") await queue.release(lease.leaseId, delay);
  else if (kind === "extend") await queue.extend(lease.leaseId, 30);
  else if (await queue.acknowledge(lease.leaseId)) work.acknowledged.push(lease.item);
}
