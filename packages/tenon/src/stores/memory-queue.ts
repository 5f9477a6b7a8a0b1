/**
 * @fileoverview Queues in memory: one process, gone with it. An item on loan keeps its place in its queue and is due
 * again when the lease runs out, so nothing has to bring it back.
 * @module stores/memory-queue
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName, parseWhole, weigh } from "./arguments.js";
import { createDueHeap, type Due, type DueHeap } from "./due-heap.js";
import { createIdSource } from "./id-source.js";
import type { DelayOptions, Queue, QueueLimits } from "./ports.js";

/** Bounds of queues in memory. Where one is reached, `push` gives `false`. */
export interface MemoryQueueOptions extends QueueLimits {
  /**
   * Most queues that have items: stops clients from making them without end.
   * @default 1000
   */
  readonly maxQueues?: number;
  /**
   * Most bytes of all items and their queues' names together (UTF-8, and 100 for each item): stops a few long items
   * from filling memory.
   * @default 64 MiB
   */
  readonly maxTotalBytes?: number;
  /** Clock and randomness, for tests and unusual runtimes. */
  readonly ports?: Partial<Ports>;
}

/** Creates queues without items. A queue exists while it has one; no item is ever evicted. */
export function createMemoryQueue(options: MemoryQueueOptions = {}): Queue {
  const ports = withPorts(options.ports);
  const maxItems = parseWhole("maxItems", options.maxItems ?? 10_000);
  const maxQueues = parseWhole("maxQueues", options.maxQueues ?? 1000);
  const maxTotalBytes = parseWhole("maxTotalBytes", options.maxTotalBytes ?? 64 * 1024 * 1024);
  const queues = new Map<string, DueHeap<Item>>();
  /** The last lease of each item that has had one, and so never more than there are items. */
  const leases = new Map<string, Item>();
  const nextLeaseId = createIdSource(ports);
  let bytes = 0;
  let pushes = 0;

  /** The item of a lease that has not run out. */
  const onLoan = (leaseId: string, now: number): Item | undefined => {
    const item = leases.get(leaseId);
    return item !== undefined && item.at > now ? item : undefined;
  };

  const endLease = (item: Item) => {
    if (item.leaseId !== undefined) leases.delete(item.leaseId);
    item.leaseId = undefined;
  };

  return {
    async push(name, text, { delayMs = 0 }: DelayOptions = {}) {
      const at = ports.now() + parseWhole("delayMs", delayMs, 0);
      const queue = queues.get(parseName(name)) ?? createDueHeap<Item>();
      const weight = weigh(name, text);
      if (queue.size >= maxItems || bytes + weight > maxTotalBytes) return false;
      if (queue.size === 0 && queues.size >= maxQueues) return false;
      pushes += 1;
      queue.add({ name, text, bytes: weight, attempts: 0, leaseId: undefined, at, order: pushes, place: 0 });
      queues.set(name, queue);
      bytes += weight;
      return true;
    },
    async pull(name, leaseMs) {
      const now = ports.now();
      const until = now + parseWhole("leaseMs", leaseMs);
      const queue = queues.get(parseName(name));
      const item = queue?.first();
      if (queue === undefined || item === undefined || item.at > now) return undefined;
      endLease(item);
      const leaseId = nextLeaseId();
      leases.set(leaseId, item);
      item.leaseId = leaseId;
      item.attempts += 1;
      queue.move(item, until);
      return { item: item.text, leaseId, attempt: item.attempts };
    },
    async acknowledge(leaseId) {
      const item = onLoan(leaseId, ports.now());
      if (item === undefined) return false;
      endLease(item);
      bytes -= item.bytes;
      const queue = queues.get(item.name);
      queue?.remove(item);
      if (queue?.size === 0) queues.delete(item.name);
      return true;
    },
    async extend(leaseId, leaseMs) {
      const now = ports.now();
      const until = now + parseWhole("leaseMs", leaseMs);
      const item = onLoan(leaseId, now);
      if (item !== undefined) queues.get(item.name)?.move(item, until);
      return item !== undefined;
    },
    async release(leaseId, { delayMs = 0 }: DelayOptions = {}) {
      const now = ports.now();
      const at = now + parseWhole("delayMs", delayMs, 0);
      const item = onLoan(leaseId, now);
      if (item === undefined) return false;
      endLease(item);
      queues.get(item.name)?.move(item, at);
      return true;
    },
  };
}

interface Item extends Due {
  readonly name: string;
  readonly text: string;
  readonly bytes: number;
  /** How often it was lent. */
  attempts: number;
  /** The last lease, which may have run out. */
  leaseId: string | undefined;
}
