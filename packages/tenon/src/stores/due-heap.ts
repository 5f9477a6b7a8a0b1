/**
 * @fileoverview A binary heap of records by the time at which they are due. A record knows its place, so that
 * moving or removing one costs no search and leaves nothing stale behind.
 * @module stores/due-heap
 */

/** A record that stands in a heap. The heap alone writes `at` and `place` while it does. */
export interface Due {
  /** When it is due, in milliseconds since the epoch. */
  at: number;
  /** Decides between two that are due at once: the lower goes first. */
  readonly order: number;
  /** Where it stands in the heap. */
  place: number;
}

/** Records, the next one due on top. */
export interface DueHeap<T extends Due> {
  readonly size: number;
  /** The record that is due first. */
  first(): T | undefined;
  add(record: T): void;
  /** Takes out a record that stands in this heap. */
  remove(record: T): void;
  /** Makes a record that stands in this heap due at another time. */
  move(record: T, at: number): void;
}

/** Creates an empty heap. */
export function createDueHeap<T extends Due>(): DueHeap<T> {
  const records: T[] = [];

  const put = (record: T, place: number) => {
    records[place] = record;
    record.place = place;
  };

  /** Sinks or lifts a record from its place to where it belongs. */
  const settle = (record: T) => {
    let place = record.place;
    for (;;) {
      const above = records[(place - 1) >> 1];
      if (above === undefined || !isBefore(record, above)) break;
      const next = above.place;
      put(above, place);
      place = next;
    }
    for (;;) {
      const left = records[2 * place + 1];
      const right = records[2 * place + 2];
      const below = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (below === undefined || !isBefore(below, record)) break;
      const next = below.place;
      put(below, place);
      place = next;
    }
    put(record, place);
  };

  return {
    get size() {
      return records.length;
    },
    first: () => records[0],
    add(record) {
      put(record, records.length);
      settle(record);
    },
    remove(record) {
      const last = records.pop();
      if (last === undefined || last === record) return;
      put(last, record.place);
      settle(last);
    },
    move(record, at) {
      record.at = at;
      settle(record);
    },
  };
}

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
