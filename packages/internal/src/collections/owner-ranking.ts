/**
 * @fileoverview Records grouped by owner. The owners are ranked by their number of records, so that the owner with the
 * most records can lose one when there is no room for another owner.
 * @module internal/collections/owner-ranking
 */
import { createDueHeap, type Due, type DueHeap } from "./due-heap.js";

/** Record of an owner. While it is in a ranking, only the ranking writes `at` and `place`. */
export interface Owned extends Due {
  readonly owner: string;
}

/** Owner and its records. */
export interface OwnerGroup<T extends Owned> extends Due {
  readonly owner: string;
  /** Records, with the one that is due first on top. It is never empty. */
  readonly records: DueHeap<T>;
}

/** Records of several owners. Every operation takes logarithmic time. An owner without records uses no memory. */
export class OwnerRanking<T extends Owned> {
  readonly #groups = new Map<string, OwnerGroup<T>>();
  readonly #ranking = createDueHeap<OwnerGroup<T>>(isRankedBefore);
  #lastOrder = 0;

  /** Number of owners with records. */
  get owners(): number {
    return this.#groups.size;
  }

  /** Returns the number of records of an owner. */
  countOf(owner: string): number {
    return this.#groups.get(owner)?.records.size ?? 0;
  }

  /** Returns the records of an owner, or `undefined` if it has none. */
  groupOf(owner: string): OwnerGroup<T> | undefined {
    return this.#groups.get(owner);
  }

  /** Returns the record of an owner that is due first. */
  firstOf(owner: string): T | undefined {
    return this.#groups.get(owner)?.records.first();
  }

  /** Returns the owner with the most records. Among equal ones, returns the one with the record that is due first. */
  largest(): OwnerGroup<T> | undefined {
    return this.#ranking.first();
  }

  /**
   * Returns the record that makes room for a new one of `owner`: the record of the largest owner that is due first. An
   * owner takes no record from others that have as few records as itself, or fewer.
   */
  findVictim(owner: string): T | undefined {
    const largest = this.largest();
    const isLarger = largest !== undefined && largest.records.size > this.countOf(owner);
    return isLarger ? largest.records.first() : this.firstOf(owner);
  }

  /** Adds a record. */
  add(record: T): void {
    const known = this.#groups.get(record.owner);
    const group = known ?? this.#createGroup(record.owner);
    group.records.add(record);
    if (known === undefined) {
      group.at = record.at;
      this.#groups.set(record.owner, group);
      this.#ranking.add(group);
    } else this.#rank(group);
  }

  /** Removes a record. It must be in the ranking. */
  remove(record: T): void {
    const group = this.#groups.get(record.owner);
    if (group === undefined) return;
    group.records.remove(record);
    if (group.records.size > 0) return this.#rank(group);
    this.#groups.delete(group.owner);
    return this.#ranking.remove(group);
  }

  /** Changes the due time of a record. It must be in the ranking. */
  move(record: T, at: number): void {
    const group = this.#groups.get(record.owner);
    group?.records.move(record, at);
    if (group !== undefined) this.#rank(group);
  }

  /**
   * Calls `visit` with the largest owner, until it returns a record or `undefined`. If it returns `"next"`, the next call
   * gets the next owner. If it returns `"again"`, because it has moved a record, the next call gets the largest of the
   * remaining owners again.
   */
  search(visit: (group: OwnerGroup<T>) => T | "next" | "again" | undefined): T | undefined {
    const visited: OwnerGroup<T>[] = [];
    let found: T | "next" | "again" | undefined = "again";
    while (found === "next" || found === "again") {
      const group = this.largest();
      found = group && visit(group);
      if (found !== "next" || group === undefined) continue;
      this.#ranking.remove(group);
      visited.push(group);
    }
    for (const group of visited) this.#ranking.add(group);
    return found;
  }

  #createGroup(owner: string): OwnerGroup<T> {
    return { owner, records: createDueHeap<T>(), at: 0, order: ++this.#lastOrder, place: 0 };
  }

  #rank(group: OwnerGroup<T>): void {
    this.#ranking.move(group, group.records.first()?.at ?? 0);
  }
}

function isRankedBefore<T extends Owned>(one: OwnerGroup<T>, other: OwnerGroup<T>): boolean {
  const difference = one.records.size - other.records.size;
  return difference === 0 ? one.at < other.at : difference > 0;
}
