/**
 * @fileoverview Collects the body of one request within its limit, and counts it in the endpoint's budget for as long
 * as it is incomplete.
 * @module transport/http/body-collector
 */
import { ByteCollector } from "../../internal/byte-collector.js";
import type { Holder, MemoryBudget } from "./memory-budget.js";

/** A body that arrives in pieces. */
export class BodyCollector implements Holder {
  readonly waitsForClient = true;
  readonly #limit: number;
  readonly #budget: MemoryBudget;
  readonly #onDrop: () => void;
  /** The only piece so far, which need not be copied. */
  #first: Uint8Array | undefined;
  #rest: ByteCollector | undefined;

  /** @param onDrop refuses the request, because others need the room that its body takes */
  constructor(limit: number, budget: MemoryBudget, onDrop: () => void) {
    this.#limit = limit;
    this.#budget = budget;
    this.#onDrop = onDrop;
  }

  get heldBytes(): number {
    return this.#rest?.length ?? this.#first?.length ?? 0;
  }

  /** Adds a piece; returns false if the body is now longer than its limit. */
  add(piece: Uint8Array): boolean {
    const fits = this.#append(piece);
    if (fits) this.#budget.update(this, true);
    return fits;
  }

  /** Hands over the whole body. */
  take(): Uint8Array {
    const bytes = this.#rest?.take() ?? this.#first ?? NO_BYTES;
    this.discard();
    return bytes;
  }

  /** Gives the collected bytes up. */
  discard(): void {
    this.#budget.remove(this);
    this.#first = undefined;
    this.#rest = undefined;
  }

  drop(): void {
    this.discard();
    this.#onDrop();
  }

  #append(piece: Uint8Array): boolean {
    if (this.#rest !== undefined) return this.#rest.append(piece);
    if (this.#first === undefined) {
      this.#first = piece;
      return piece.length <= this.#limit;
    }
    this.#rest = new ByteCollector(this.#limit);
    return this.#rest.append(this.#first) && this.#rest.append(piece);
  }
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);
