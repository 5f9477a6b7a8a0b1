/**
 * @fileoverview In-memory records of sessions. At a limit, a new record replaces one of the same owner, or of the owner
 * with the most records.
 * @module tenon/stores/memory-session-records
 */
import { type Owned, OwnerRanking } from "@tenon/internal/collections/owner-ranking";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import { expiryOf } from "./arguments.js";
import { createMemoryEntries, type MemoryEntry, type MemoryKeyValueOptions } from "./memory-key-value.js";
import type { OwnedRecord, SessionRecords } from "./ports.js";

/** Creates an empty store. */
export function createMemorySessionRecords(options: MemoryKeyValueOptions = {}): SessionRecords {
  const seats = createSeats();
  const { store, entries, ports, createEntry, fullError } = createMemoryEntries(options, seats);
  const { ranking } = seats;
  return {
    ...store,
    async create(key, record) {
      const now = ports.now();
      const { owner, maxPerOwner, label } = parseOwner(record);
      const at = expiryOf(now, record.ttlMs);
      const displaced: string[] = [];
      if (entries.get(parseName(key), now) !== undefined) return { created: false, displaced };
      const remove = (seat: Seat) => {
        const { label: removed } = entries.get(seat.key, now) ?? {};
        if (removed !== undefined) displaced.push(removed);
        entries.delete(seat.key, now);
      };
      const entry = createEntry({ key, value: record.value, at, owner, label });
      for (let first = ranking.firstOf(owner); first !== undefined; first = ranking.firstOf(owner)) {
        if (first.at > now && ranking.countOf(owner) < maxPerOwner) break;
        remove(first);
      }
      entries.add(entry, now, () => {
        const victim = ranking.findVictim(owner);
        if (victim === undefined) throw fullError();
        remove(victim);
      });
      seats.onAdd(entry);
      return { created: true, displaced };
    },
  };
}

/** Place of an entry among those of its owner. */
interface Seat extends Owned {
  readonly key: string;
}

/** Creates a ranking that follows the entries of a store. */
function createSeats() {
  const ranking = new OwnerRanking<Seat>();
  const seats = new Map<string, Seat>();
  return {
    ranking,
    onAdd({ key, owner = "", at, order }: MemoryEntry) {
      const seat = { key, owner, at, order, place: 0 };
      seats.set(key, seat);
      ranking.add(seat);
    },
    onMove({ key, at }: MemoryEntry) {
      const seat = seats.get(key);
      if (seat !== undefined) ranking.move(seat, at);
    },
    onDrop({ key }: MemoryEntry) {
      const seat = seats.get(key);
      seats.delete(key);
      if (seat !== undefined) ranking.remove(seat);
    },
  };
}

function parseOwner({ owner, maxPerOwner = Number.MAX_SAFE_INTEGER, label }: OwnedRecord) {
  const limit = parseWhole("maxPerOwner", maxPerOwner);
  return {
    owner: owner === undefined ? "" : parseName(owner),
    maxPerOwner: owner === undefined ? Number.MAX_SAFE_INTEGER : limit,
    label: label === undefined ? undefined : parseName(label),
  };
}
