/**
 * @fileoverview Memory of the send queues of all connections. When it is used up, clients that do not read are
 * disconnected.
 * @module agent/socket/queued-bytes
 */

/** Send queue that can be dropped. */
export interface DroppableQueue {
  /** Memory that can be freed, in bytes. */
  readonly size: number;
  /** Drops the queue and disconnects its client. */
  overflow(): void;
}

/** Bytes in all send queues. Bytes that several queues share count once. */
export class QueuedBytes {
  readonly #limit: number;
  /** Number of times that queues hold each frame. */
  readonly #holders = new Map<Uint8Array, number>();
  /** Queues that are not empty. The client that has not taken anything for the longest time comes first. */
  readonly #queues = new Set<DroppableQueue>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a frame of a queue. */
  hold(bytes: Uint8Array, queue: DroppableQueue): void {
    const holders = this.#holders.get(bytes) ?? 0;
    this.#holders.set(bytes, holders + 1);
    this.#bytes += FRAME_COST + (holders === 0 ? bytes.byteLength : 0);
    this.#queues.add(queue);
  }

  /** Removes a frame of a queue. */
  release(bytes: Uint8Array): void {
    const holders = this.#holders.get(bytes) ?? 1;
    if (holders > 1) this.#holders.set(bytes, holders - 1);
    else this.#holders.delete(bytes);
    this.#bytes -= FRAME_COST + (holders > 1 ? 0 : bytes.byteLength);
  }

  /** Notes that a client has taken something. */
  noteProgress(queue: DroppableQueue): void {
    if (this.#queues.delete(queue)) this.#queues.add(queue);
  }

  /** Removes a queue that is empty. */
  forget(queue: DroppableQueue): void {
    this.#queues.delete(queue);
  }

  /** Drops queues until the total is within the limit: first those that free much. A larger frame may exceed the limit. */
  makeRoom(queue: DroppableQueue, { byteLength }: Uint8Array): void {
    const limit = this.#limit + (byteLength > this.#limit ? byteLength : 0);
    if (this.#bytes <= limit) return;
    for (const least of [MUCH, 0]) {
      for (const other of this.#queues) {
        if (this.#bytes <= limit) return;
        if (other !== queue && other.size >= least) other.overflow();
      }
    }
  }
}

/** Approximate memory overhead of a queued frame, in bytes. */
export const FRAME_COST = 256;

const MUCH = 65_536;
