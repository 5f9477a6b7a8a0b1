/**
 * @fileoverview The record of a shared session on one node: follows the changes of other nodes, and stores the changes of
 * this one. Both are combined change by change, so that nodes never undo each other's work.
 * @module tenon/session/shared/shared-record
 */
import type { Connection } from "../../core/wire/connection.js";
import type { NewValue } from "../../stores/ports.js";
import type { ClusterNode } from "./cluster-node.js";
import {
  applyState,
  findExcess,
  isSameState,
  type MainPosition,
  mergeState,
  openRecord,
  readState,
  sealRecord,
  type SessionRecord,
  type SharedState,
  withoutSubscriptions,
} from "./session-record.js";

/** Parts of a record. */
export interface SharedRecordParts {
  readonly id: string;
  /** Key of the session in the store. */
  readonly key: string;
  readonly principal: string | undefined;
  readonly node: ClusterNode;
  readonly connection: Connection;
  readonly ttlMs: number;
  /** Creates the session's record in the store. Returns false if it exists. */
  readonly createRecord: (record: NewValue) => Promise<boolean>;
  /** Returns the position at which the main stream of a new session starts. */
  readonly firstPosition: () => Promise<MainPosition>;
  /** Called after the record was stored. The first time, no other node knows the session. */
  readonly onStored: (isFirst: boolean) => Promise<void>;
  /** Called if the record does not exist any more. */
  readonly onGone: () => void;
}

/** Record, and its version in the store if it is known. */
interface FoundRecord {
  readonly record: SessionRecord;
  readonly version: string | undefined;
}

/** The record of a shared session on one node. */
export class SharedRecord {
  readonly #parts: SharedRecordParts;
  /** The record as it was read or stored last. */
  #known: SessionRecord | undefined;
  #version: string | undefined;
  #savedChanges = -1;
  #adoptions = 0;
  /** Resolves when the reads and writes that have started are over. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: SharedRecordParts) {
    this.#parts = parts;
  }

  /** Position at which a client without an event ID starts. */
  get main(): MainPosition | undefined {
    return this.#known?.main;
  }

  /** Version of the record that the connection has. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Number of times that the connection has got a record, which this node has read or stored. */
  get adoptions(): number {
    return this.#adoptions;
  }

  /** True if the connection has changes that are not stored yet. */
  get isDirty(): boolean {
    return this.#parts.connection.changes !== this.#savedChanges;
  }

  /**
   * Takes over a record that was read from the store. `adoptions` is their number before the read. If the connection has
   * got another record since then, which may be newer, the record is read again.
   */
  async update(record: SessionRecord, version: string, adoptions: number): Promise<void> {
    const found = { record, version };
    if (this.#known === undefined) this.#adopt(found, undefined);
    else
      await this.#inTurn(async () => {
        if (this.#version === version) return;
        if (this.#adoptions === adoptions) this.#adopt(found);
        else await this.#reload();
      });
  }

  /** Reads the record again. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#reload());
  }

  /** Stores the changes of this node, and the position of a client that left. */
  save(position?: MainPosition): Promise<void> {
    return this.#inTurn(async () => {
      // An earlier write may have stored the changes of this one.
      if (this.isDirty || position !== undefined) await this.#store(position);
    });
  }

  /** Runs reads and writes one after the other, so that an old state never replaces a newer one. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #reload(): Promise<void> {
    const found = await this.#read();
    if (found !== undefined) this.#adopt(found);
  }

  async #read(): Promise<(FoundRecord & { readonly version: string }) | undefined> {
    const { node, key } = this.#parts;
    const entry = await node.store.sessions.get(key);
    // The message that the session has ended may have arrived before this node knew the session.
    if (entry === undefined && this.#known !== undefined) this.#parts.onGone();
    const record = entry && (await openRecord(node, key, entry));
    return entry && record && { record, version: entry.version };
  }

  /**
   * Sets the record. The connection gets the changes of other nodes, and keeps its own changes since `stored`, the state
   * that the record already contains.
   */
  #adopt({ record, version }: FoundRecord, stored: SharedState | undefined = this.#known): void {
    const { connection } = this.#parts;
    const mine = readState(connection);
    this.#adoptions++;
    const isStored = stored === undefined || isSameState(stored, mine);
    applyState(connection, stored === undefined ? record : mergeState(stored, mine, record));
    this.#known = record;
    this.#version = version;
    this.#savedChanges = isStored ? connection.changes : -1;
  }

  async #store(position: MainPosition | undefined): Promise<void> {
    const { node, key, id, ttlMs, principal, connection } = this.#parts;
    const base = this.#known;
    const mine = readState(connection);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const newest = base === undefined ? undefined : await this.#read();
      if (base !== undefined && newest === undefined) return this.#parts.onGone();
      const main = position ?? newest?.record.main ?? (await this.#parts.firstPosition());
      const merged =
        base === undefined || newest === undefined ? mine : mergeState(base, mine, newest.record);
      const excess = findExcess(merged, newest?.record ?? NOTHING, connection);
      const state = withoutSubscriptions(merged, excess);
      const record: SessionRecord = { ...state, id, principal: principal ?? null, main };
      const value = await sealRecord(node, key, record);
      const isStored =
        newest === undefined
          ? await this.#parts.createRecord({ value, ttlMs })
          : await node.store.sessions.compareAndSet(key, newest.version, { value, ttlMs });
      if (!isStored) continue;
      for (const uri of excess) connection.unsubscribe(uri);
      // The store has chosen a new version, which the next request reads.
      this.#adopt({ record, version: undefined }, withoutSubscriptions(mine, excess));
      return this.#parts.onStored(base === undefined);
    }
    throw new Error("A session changes too often to be stored.");
  }
}

const NOTHING: Pick<SharedState, "subscriptions"> = { subscriptions: [] };

/** Maximum number of times that a write is repeated because of other writers. */
const MAX_ATTEMPTS = 50;
