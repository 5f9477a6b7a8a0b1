/**
 * @fileoverview Binary heap of records, ordered by due time. Each record stores its position, so that it can be moved
 * or removed without a search.
 * @module internal/collections/due-heap
 */

/** Heap record. While it is in a heap, only the heap writes `at` and `place`. */
export interface Due {
  /** Due time in milliseconds since the epoch. */
  at: number;
  /** Tie-breaker for equal due times. The lower value is first. */
  readonly order: number;
  /** Position in the heap. */
  place: number;
}

/** Heap with the next due record on top. */
export interface DueHeap<T extends Due> {
  readonly size: number;
  /** Returns the record that is due first. */
  first(): T | undefined;
  add(record: T): void;
  /** Removes a record from this heap. */
  remove(record: T): void;
  /** Changes a record's due time and moves the record to its new position. */
  move(record: T, at: number): void;
}

/** Creates an empty heap. @param isBefore order of the records; by default, the due time */
export function createDueHeap<T extends Due>(
  isBefore: (one: T, other: T) => boolean = isDueBefore,
): DueHeap<T> {
  const records: T[] = [];

  const put = (record: T, place: number) => {
    records[place] = record;
    record.place = place;
  };

  /** Moves a record up or down to its correct position. */
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

function isDueBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
