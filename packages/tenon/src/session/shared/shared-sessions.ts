/**
 * @fileoverview Sessions that several nodes share. Any node serves any request of a session, so a load balancer may send
 * each request to a different node.
 * @module tenon/session/shared/shared-sessions
 */
import { toBase64Url } from "@tenon/internal/base64";
import { ANONYMOUS, ownerOf } from "@tenon/internal/collections/fair-share";
import type { Ports } from "@tenon/internal/ports";
import { KeyRing } from "../../core/call/key-ring.js";
import { createRecordSealer } from "../../core/call/record-sealer.js";
import { isVisibleTo, readerOf } from "../../core/wire/access.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { createOwnerIds } from "../../stores/owner-ids.js";
import type { NewValue } from "../../stores/ports.js";
import type { SharedStore } from "../../stores/shared-store.js";
import type { SessionLimits } from "../session-limits.js";
import type { Sessions } from "../sessions.js";
import { ChangeLog } from "./change-log.js";
import { ClusterNode, type SessionMessage } from "./cluster-node.js";
import { NodeLists } from "./node-lists.js";
import { SessionLog } from "./session-log.js";
import { openRecord } from "./session-record.js";
import { SharedSession } from "./shared-session.js";

/** Options for shared sessions. */
export interface SharedSessionOptions {
  readonly ports: Ports;
  readonly sessions: SessionLimits;
  readonly maxCallsPerConnection: number;
}

/**
 * Creates the sessions of an endpoint with a shared store, and links its server to the other nodes.
 *
 * @throws {TypeError} if each session has its own server, whose state belongs to this process
 */
export function createSharedSessions(
  server: HostedServer<never> | undefined,
  store: SharedStore,
  options: SharedSessionOptions,
): SharedSessions {
  if (server === undefined)
    throw new TypeError(
      "`store` cannot be used with a server per session, because such a server belongs to one node. " +
        "Pass a server that all sessions share, or remove `store`.",
    );
  const { ports } = options;
  const node = new ClusterNode({
    store,
    ports,
    sealer: server.records ?? createStoreSealer(ports, store),
    server: server.info?.name ?? "server",
    lists: new NodeLists(ports, () => server.operations?.digestLists() ?? {}),
    report: (error, isOutage) => {
      if (!isOutage || server.operations?.beginsOutage() !== false) server.report?.(error, "store");
    },
    warn: (event, message) => server.operations?.warn(event, message),
  });
  const changes = new ChangeLog(node);
  server.useCluster?.({
    secrets: () => store.secrets(),
    store,
    publish: (change) => changes.publish(change),
    subscribe: (listener) => changes.subscribe(listener),
    ready: () => changes.ready(),
  });
  return new SharedSessions(node, changes, options);
}

/** Creates a sealer for a server without its own keys. */
function createStoreSealer(ports: Ports, store: SharedStore): ReturnType<typeof createRecordSealer> {
  const ring = new KeyRing(ports);
  ring.useSource(() => store.secrets());
  return createRecordSealer(ring);
}

/** Sessions that several nodes share. */
export class SharedSessions implements Sessions {
  readonly #node: ClusterNode;
  readonly #changes: ChangeLog;
  readonly #options: SharedSessionOptions;
  readonly #owners: ReturnType<typeof createOwnerIds>;
  readonly #idleMs: number;
  /** This node's part of sessions: all active ones, and a few that were used last. */
  readonly #local = new Map<string, SharedSession>();

  constructor(node: ClusterNode, changes: ChangeLog, options: SharedSessionOptions) {
    this.#node = node;
    this.#changes = changes;
    this.#options = options;
    const { ports, sealer, server, store } = node;
    this.#owners = createOwnerIds({ ports, sealer, server, values: store.values });
    this.#idleMs = options.sessions.idleMs;
    node.onBeat(() => this.#beat());
    const recover = () => {
      for (const session of this.#local.values()) session.recover();
    };
    node.start((message) => this.#receive(message), recover);
    changes.start({ onRecord: (key) => this.#local.get(key)?.recover(), onMissed: recover });
  }

  get size(): number {
    return this.#local.size;
  }

  get maxSessions(): number {
    return this.#options.sessions.maxSessions;
  }

  report(error: unknown): void {
    this.#node.report(error);
  }

  async open(principal: string | undefined, address?: string): Promise<SharedSession> {
    const known = ownerOf(principal, address);
    const owner = known === ANONYMOUS ? undefined : await this.#owners.of(known);
    const random = toBase64Url(this.#node.ports.randomBytes(ID_BYTES));
    // The keys of an owner have the same start, so that a store with shards can count them in one place.
    const id = (owner ?? random).slice(0, OWNER_LENGTH) + random.slice(OWNER_LENGTH);
    return this.#keep(this.#create(id, principal, owner));
  }

  async find(id: string, principal: string | undefined): Promise<SharedSession | undefined> {
    if (!SESSION_ID.test(id)) return undefined;
    const key = keyOf(id);
    const reader = readerOf(this.#node.server, principal);
    const adoptions = this.#local.get(key)?.record.adoptions ?? 0;
    const entry = await this.#node.store.sessions.get(key);
    const known = this.#local.get(key);
    if (entry === undefined) {
      this.#drop(key, known);
      return undefined;
    }
    if (known?.id === id && known.record.version === entry.version)
      return isVisibleTo(known, reader) ? this.#touch(this.#keep(known)) : undefined;
    const record = await openRecord(this.#node, key, entry);
    if (record === undefined || record.id !== id || !isVisibleTo(record, reader)) return undefined;
    const session = this.#keep(this.#local.get(key) ?? this.#create(id, principal));
    await session.record.update(record, entry.version, adoptions);
    return this.#touch(session);
  }

  async end(id: string): Promise<void> {
    const key = keyOf(id);
    this.#drop(key, this.#local.get(key));
    await this.#node.store.sessions.delete(key);
    await this.#cleanUp(key);
  }

  async close(): Promise<void> {
    const sessions = [...this.#local.values()];
    const left = sessions.map((session) => session.leave());
    this.#local.clear();
    // A store that does not respond must not delay the shutdown.
    let stopTimer: (() => void) | undefined;
    const patience = new Promise<void>((resolve) => {
      stopTimer = this.#node.ports.startTimer(resolve, LEAVE_MS);
    });
    await Promise.race([Promise.allSettled(left).then(() => this.#node.stop()), patience]);
    await this.#changes.stop(patience);
    stopTimer?.();
    for (const session of sessions) session.close();
  }

  /** Deletes the events of a session that has ended, and tells the other nodes. */
  async #cleanUp(key: string): Promise<void> {
    const log = new SessionLog(this.#node, key);
    await Promise.all([log.delete(), this.#node.send({ kind: "end", session: key, id: "" })]);
  }

  /** Stores a new session, and ends the sessions that the store has removed to make room for it. */
  async #createRecord(key: string, record: NewValue, owner: string | undefined): Promise<boolean> {
    const { sealer, store } = this.#node;
    const maxPerOwner = this.#options.sessions.maxSessionsPerPrincipal;
    const label = await sealer.seal(key, LABEL_PLACE);
    const owned = owner === undefined ? { ...record, label } : { ...record, label, owner, maxPerOwner };
    const { created, displaced } = await store.sessions.create(key, owned);
    for (const one of displaced) this.#endDisplaced(one).catch((error: unknown) => this.#node.report(error));
    return created;
  }

  /** Ends a session that the store has removed. Another server's label cannot be decrypted, and is ignored. */
  async #endDisplaced(label: string): Promise<void> {
    const key = await this.#node.sealer.open(label, LABEL_PLACE);
    if (key === undefined) return;
    this.#drop(key, this.#local.get(key));
    await this.#cleanUp(key);
  }

  #create(id: string, principal: string | undefined, owner?: string): SharedSession {
    const { sessions, maxCallsPerConnection } = this.#options;
    return new SharedSession({
      id,
      key: keyOf(id),
      principal,
      node: this.#node,
      changes: this.#changes,
      bounds: sessions.streams,
      ttlMs: this.#idleMs,
      maxCalls: maxCallsPerConnection,
      mayListen: () => this.#local.size <= this.maxSessions,
      createRecord: (record) => this.#createRecord(keyOf(id), record, owner),
    });
  }

  /** Marks a session as used. Forgets sessions that have not been used for some time and have no calls or clients. */
  #keep(session: SharedSession): SharedSession {
    const key = keyOf(session.id);
    session.usedAt = this.#node.ports.now();
    this.#local.delete(key);
    this.#local.set(key, session);
    this.#forgetOldest(CHECKED_PER_USE);
    return session;
  }

  #forgetOldest(maxChecked: number): void {
    const before = this.#node.ports.now() - MIN_IDLE_MS;
    let checked = 0;
    for (const [key, session] of this.#local) {
      if (this.#local.size <= MAX_IDLE || checked++ >= maxChecked) return;
      // The requests of recently used sessions may be about to start calls.
      if (!session.isActive && session.usedAt > before) return;
      this.#local.delete(key);
      // Active sessions move to the end, so that the next check finds others.
      if (session.isActive) this.#local.set(key, session);
    }
  }

  /** Renews the lifetime of a session in the store, unless this node did so recently. */
  #touch(session: SharedSession): SharedSession {
    const now = this.#node.ports.now();
    if (now - session.touchedAt < this.#idleMs / RENEWALS) return session;
    session.touchedAt = now;
    this.#node.store.sessions.touch(keyOf(session.id), this.#idleMs).then(
      (exists) => {
        if (!exists) this.#drop(keyOf(session.id), session);
      },
      (error: unknown) => {
        session.touchedAt = -Infinity;
        this.#node.report(error);
      },
    );
    return session;
  }

  #drop(key: string, session: SharedSession | undefined): void {
    this.#local.delete(key);
    session?.close();
  }

  #beat(): void {
    this.#forgetOldest(this.#local.size);
    for (const session of this.#local.values()) {
      if (!session.isActive) continue;
      session.beat();
      this.#touch(session);
    }
  }

  #receive({ kind, session: key, id }: SessionMessage): void {
    const session = this.#local.get(key);
    if (kind === "end") this.#drop(key, session);
    else session?.receive(kind, id);
  }
}

/** Number of random bytes in a session's ID. The first half finds the record, and only the record has the rest. */
const ID_BYTES = 24;

/** Number of characters at the start of an ID that depend only on the owner of the session, if it is known. */
const OWNER_LENGTH = 2;
const SESSION_ID = /^[\w-]{32}$/;

/** Returns the key of a session's record. Whoever reads the keys of the store cannot use the sessions. */
function keyOf(id: string): string {
  return id.slice(0, 16);
}

/** Place that the labels of sessions are encrypted for. A label contains the key of its session. */
const LABEL_PLACE = "session label";

/** Maximum number of sessions without calls and clients that a node remembers. */
const MAX_IDLE = 128;
const CHECKED_PER_USE = 4;

/** Time in milliseconds for which a node remembers every session that was used. */
const MIN_IDLE_MS = 500;

/** Maximum time in milliseconds to leave the sessions to the other nodes. */
const LEAVE_MS = 2_000;

/** Number of times that the lifetime of a session in use is renewed per lifetime. */
const RENEWALS = 8;
