/**
 * @fileoverview Collects the body of one request within its limit, and counts it in the endpoint's budget for as long
 * as it is incomplete.
 * @module transport/http/limits/body-collector
 */
import { ByteCollector } from "@tenon/internal/byte-collector";
import type { Holder, MemoryBudget } from "./memory-budget.js";

/** Options of a collector. */
export interface BodyCollectorOptions {
  /** Most bytes of the body. */
  readonly limit: number;
  readonly budget: MemoryBudget;
  /** Refuses the request, because others need the room that its body takes. */
  readonly onDrop: () => void;
}

/** Shorter pieces are copied together: each one that is kept by itself costs several hundred bytes. */
const SMALL_PIECE = 4_096;

/** A body that arrives in pieces. */
export class BodyCollector implements Holder {
  readonly waitsForClient = true;
  readonly #options: BodyCollectorOptions;
  readonly #pieces: Uint8Array[] = [];
  /** Small pieces since the last large one. */
  #small: ByteCollector | undefined;
  #length = 0;

  constructor(options: BodyCollectorOptions) {
    this.#options = options;
  }

  get heldBytes(): number {
    return this.#length;
  }

  /** Adds a piece; returns false if the body is now longer than its limit. */
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

  /** Hands over the whole body, in pieces. */
  take(): readonly Uint8Array[] {
    this.#closeSmall();
    this.#options.budget.remove(this);
    return this.#pieces;
  }

  /** Gives the collected bytes up. */
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
