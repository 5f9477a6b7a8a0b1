/**
 * @fileoverview Collects one request body within its limit. The bytes count against the endpoint's memory budget
 * until the body is complete.
 * @module tenon/transport/http/limits/body-collector
 */
import { ByteCollector } from "@tenon/internal/byte-collector";
import type { Holder, MemoryBudget } from "./memory-budget.js";

/** Options for `BodyCollector`. */
export interface BodyCollectorOptions {
  /** Maximum body size in bytes. */
  readonly limit: number;
  readonly budget: MemoryBudget;
  /** Called when the body is dropped to free memory. Rejects the request. */
  readonly onDrop: () => void;
}

/** Chunks below this size in bytes are merged, because each separate chunk costs several hundred bytes. */
const SMALL_PIECE = 4_096;

/** Request body that arrives in chunks. */
export class BodyCollector implements Holder {
  readonly waitsForClient = true;
  readonly #options: BodyCollectorOptions;
  readonly #pieces: Uint8Array[] = [];
  /** Small chunks since the last large one. */
  #small: ByteCollector | undefined;
  #length = 0;

  constructor(options: BodyCollectorOptions) {
    this.#options = options;
  }

  get heldBytes(): number {
    return this.#length;
  }

  /** Adds a chunk. Returns false if the body now exceeds its limit. */
  add(piece: Uint8Array): boolean {
    const { limit, budget } = this.#options;
    this.#length += piece.length;
    if (this.#length > limit) return false;
    if (piece.length < SMALL_PIECE) {
      this.#small ??= new ByteCollector(limit);
      this.#small.append(piece);
    } else {
      this.#closeSmall();
      this.#pieces.push(piece);
    }
    budget.update(this, true);
    return true;
  }

  /** Returns the complete body as chunks and removes it from the budget. */
  take(): readonly Uint8Array[] {
    this.#closeSmall();
    this.#options.budget.remove(this);
    return this.#pieces;
  }

  /** Releases the collected bytes. */
  discard(): void {
    this.#options.budget.remove(this);
    this.#pieces.length = 0;
    this.#small = undefined;
    this.#length = 0;
  }

  drop(): void {
    this.discard();
    this.#options.onDrop();
  }

  #closeSmall(): void {
    if (this.#small !== undefined) this.#pieces.push(this.#small.take());
    this.#small = undefined;
  }
}
