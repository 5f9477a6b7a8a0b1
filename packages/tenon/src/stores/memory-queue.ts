/**
 * @fileoverview In-memory queues. Their content is lost when the process exits. A leased item stays in its queue and
 * becomes due again when the lease expires, so timers are not needed.
 * @module stores/memory-queue
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { weigh } from "./arguments.js";
import { createDueHeap, type Due, type DueHeap } from "@tenon/internal/collections/due-heap";
import { createIdSource } from "./id-source.js";
import type { DelayOptions, Lease, Queue, QueueLimits } from "./ports.js";

/** Options for `createMemoryQueue`. When a limit is reached, `push` returns `false`. */
export interface MemoryQueueOptions extends QueueLimits {
  /**
   * Maximum number of queues that contain items. Stops clients from creating an unlimited number of them.
   * @default 1000
   */
  readonly maxQueues?: number;
  /**
   * Maximum total bytes of all items and their queue names (UTF-8, plus 100 for each item). Stops a few long items
   * from filling memory.
   * @default 64 MiB
   */
  readonly maxTotalBytes?: number;
  /** Replacements for the system clock and random source, for tests and special runtimes. */
  readonly ports?: Partial<Ports>;
}

/** Creates an empty set of queues. A queue exists while it contains items. Items are never evicted. */
export function createMemoryQueue(options: MemoryQueueOptions = {}): Queue {
  return new MemoryQueue(options);
}

class MemoryQueue implements Queue {
  readonly #ports: Ports;
  readonly #maxItems: number;
  readonly #maxQueues: number;
  readonly #maxTotalBytes: number;
  readonly #queues = new Map<string, DueHeap<Item>>();
  /** Items by the ID of their last lease. Each item has at most one entry. */
  readonly #leases = new Map<string, Item>();
  readonly #nextLeaseId: () => string;
  #bytes = 0;
  #pushes = 0;

  constructor(options: MemoryQueueOptions) {
    this.#ports = withPorts(options.ports);
    this.#maxItems = parseWhole("maxItems", options.maxItems ?? 10_000);
    this.#maxQueues = parseWhole("maxQueues", options.maxQueues ?? 1000);
    this.#maxTotalBytes = parseWhole("maxTotalBytes", options.maxTotalBytes ?? 64 * 1024 * 1024);
    this.#nextLeaseId = createIdSource(this.#ports);
  }

  async push(name: string, text: string, { delayMs = 0 }: DelayOptions = {}): Promise<boolean> {
    const at = this.#ports.now() + parseWhole("delayMs", delayMs, 0);
    const queue = this.#queues.get(parseName(name)) ?? createDueHeap<Item>();
    const bytes = weigh(name, text);
    if (queue.size >= this.#maxItems || this.#bytes + bytes > this.#maxTotalBytes) return false;
    if (queue.size === 0 && this.#queues.size >= this.#maxQueues) return false;
    this.#pushes += 1;
    queue.add({ name, text, bytes, attempts: 0, leaseId: undefined, at, order: this.#pushes, place: 0 });
    this.#queues.set(name, queue);
    this.#bytes += bytes;
    return true;
  }

  async pull(name: string, leaseMs: number): Promise<Lease | undefined> {
    const now = this.#ports.now();
    const until = now + parseWhole("leaseMs", leaseMs);
    const queue = this.#queues.get(parseName(name));
    const item = queue?.first();
    if (queue === undefined || item === undefined || item.at > now) return undefined;
    this.#endLease(item);
    const leaseId = this.#nextLeaseId();
    this.#leases.set(leaseId, item);
    item.leaseId = leaseId;
    item.attempts += 1;
    queue.move(item, until);
    return { item: item.text, leaseId, attempt: item.attempts };
  }

  async acknowledge(leaseId: string): Promise<boolean> {
    const item = this.#onLoan(leaseId, this.#ports.now());
    if (item === undefined) return false;
    this.#endLease(item);
    this.#bytes -= item.bytes;
    const queue = this.#queues.get(item.name);
    queue?.remove(item);
    if (queue?.size === 0) this.#queues.delete(item.name);
    return true;
  }

  async extend(leaseId: string, leaseMs: number): Promise<boolean> {
    const now = this.#ports.now();
    const until = now + parseWhole("leaseMs", leaseMs);
    const item = this.#onLoan(leaseId, now);
    if (item !== undefined) this.#queues.get(item.name)?.move(item, until);
    return item !== undefined;
  }

  async release(leaseId: string, { delayMs = 0 }: DelayOptions = {}): Promise<boolean> {
    const now = this.#ports.now();
    const at = now + parseWhole("delayMs", delayMs, 0);
    const item = this.#onLoan(leaseId, now);
    if (item === undefined) return false;
    this.#endLease(item);
    this.#queues.get(item.name)?.move(item, at);
    return true;
  }

  /** Returns a lease's item, or `undefined` if the lease has expired. */
  #onLoan(leaseId: string, now: number): Item | undefined {
    const item = this.#leases.get(leaseId);
    return item !== undefined && item.at > now ? item : undefined;
  }

  #endLease(item: Item): void {
    if (item.leaseId !== undefined) this.#leases.delete(item.leaseId);
    item.leaseId = undefined;
  }
}

interface Item extends Due {
  readonly name: string;
  readonly text: string;
  readonly bytes: number;
  /** Number of times the item has been leased. */
  attempts: number;
  /** ID of the last lease, which may have expired. */
  leaseId: string | undefined;
}
