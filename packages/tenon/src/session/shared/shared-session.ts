/**
 * @fileoverview One node's part of a shared session. It exists while the node runs calls of the session or has clients
 * of it; the record in the store outlives it.
 * @module tenon/session/shared/shared-session
 */
import { readJson } from "@tenon/internal/json";
import { Connection } from "../../core/wire/connection.js";
import type { JsonRpcResponse, RequestId } from "../../protocol/index.js";
import type { NewValue } from "../../stores/ports.js";
import type { StreamLimits } from "../session-limits.js";
import type { LegacySession, Listener, Listening, ResumableSink, SessionStream } from "../sessions.js";
import { CallStream, endLostStream } from "./call-stream.js";
import type { ChangeLog } from "./change-log.js";
import type { ClusterNode } from "./cluster-node.js";
import {
  type Follower,
  isOver,
  isStreamEventId,
  MAIN,
  MainFollower,
  nodeOf,
  readMainId,
  StreamFollower,
  streamOf,
} from "./followers.js";
import { ListNotices } from "./list-notices.js";
import { createPeers, toAnswerId } from "./peers.js";
import { RECORD_CHANGED, SessionLog } from "./session-log.js";
import type { MainPosition } from "./session-record.js";
import { SharedRecord } from "./shared-record.js";

/** Parts of a session. */
export interface SharedSessionParts {
  readonly id: string;
  /** Key of the session in the store. It does not reveal the ID. */
  readonly key: string;
  readonly principal: string | undefined;
  readonly node: ClusterNode;
  readonly changes: ChangeLog;
  readonly bounds: StreamLimits;
  readonly ttlMs: number;
  readonly maxCalls: number | undefined;
  /** Returns false if this node has too many clients that listen. */
  readonly mayListen: () => boolean;
  /** Creates the session's record in the store. Returns false if it exists. */
  readonly createRecord: (record: NewValue) => Promise<boolean>;
}

/** One node's part of a shared session. */
export class SharedSession implements LegacySession {
  readonly id: string;
  readonly connection: Connection;
  readonly record: SharedRecord;
  readonly main: Pick<SessionStream, "push">;
  /** Time of the last renewal of the session's lifetime by this node. */
  touchedAt = -Infinity;
  /** Time of the last request on this node. */
  usedAt = -Infinity;
  readonly #parts: SharedSessionParts;
  readonly #log: SessionLog;
  readonly #streams = new Map<string, CallStream>();
  readonly #followers = new Set<Follower>();
  readonly #notices: ListNotices;
  readonly #onClose: (() => void)[] = [];
  /** Messages to other nodes that the next response waits for. */
  #outgoing: Promise<void>[] = [];
  #refreshing: Promise<void> | undefined;
  /** Resolves when the position of the last client on the main stream is stored. */
  #keeping: Promise<void> | undefined;
  /** Number of clients that are about to listen. */
  #arriving = 0;
  #unwatch: Promise<() => Promise<void>> | undefined;
  #isClosed = false;
  #isLeft = false;

  constructor(parts: SharedSessionParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#log = new SessionLog(parts.node, parts.key);
    const { maxCalls } = parts;
    const limits = maxCalls === undefined ? {} : { maxCalls };
    const send = (work: Promise<void>) => {
      // The next response waits for the message and reports its failure.
      work.catch(() => undefined);
      this.#outgoing.push(work);
    };
    const save = () => this.record.save();
    const peers = createPeers({ node: parts.node, key: parts.key, log: this.#log, save, send });
    this.connection = new Connection({ era: "legacy", ...limits }, peers);
    this.connection.lists = parts.node.lists.digests;
    this.record = new SharedRecord({
      ...parts,
      connection: this.connection,
      firstPosition: async () => ({ own: "", change: await parts.changes.findPosition() }),
      onStored: async (isFirst) => {
        this.touchedAt = parts.node.ports.now();
        if (!isFirst) await this.#log.announceRecord();
      },
      onGone: () => this.close(),
    });
    this.main = { push: (data) => this.#pushToMain(data) };
    this.#notices = new ListNotices({
      ...parts,
      connection: this.connection,
      record: this.record,
      isListening: () => [...this.#followers].some(({ stream }) => stream === MAIN),
      push: (data) => this.#pushToMain(data),
    });
  }

  /** Caller that opened the session. */
  get principal(): string | undefined {
    return this.#parts.principal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** True while this node has calls or clients of the session. */
  get isActive(): boolean {
    return this.connection.callsInFlight > 0 || this.#streams.size > 0 || this.#followers.size > 0;
  }

  openStream(requests: readonly RequestId[], scopes: readonly string[] = []): SessionStream {
    const { node, bounds } = this.#parts;
    const id = node.nextId();
    const onEnd = () => void this.#streams.delete(id);
    const stream = new CallStream(id, { node, log: this.#log, bounds, requests, scopes, onEnd });
    this.#streams.set(id, stream);
    return stream;
  }

  async listen(listener: Listener): Promise<Listening> {
    const { lastEventId } = listener;
    const position = lastEventId === undefined ? undefined : readMainId(lastEventId);
    const isMain = lastEventId === undefined || position !== undefined;
    if (!isMain && !isStreamEventId(lastEventId)) return "not-issued";
    if (!this.#parts.mayListen()) return "full";
    this.#arriving++;
    try {
      await this.#watch();
      // Subscriptions on other nodes may have arrived before the announcements of their changes were followed.
      await this.record.refresh();
      if (this.#isClosed) return "gone";
      return await (isMain ? this.#listenToMain(listener, position) : this.#resume(lastEventId, listener));
    } finally {
      this.#arriving--;
      this.#unwatchIfUnused();
    }
  }

  onClose(task: () => void): void {
    if (this.#isClosed) task();
    else this.#onClose.push(task);
  }

  readonly sync = (): Promise<void> | undefined => {
    const outgoing = this.#outgoing;
    const { isDirty } = this.record;
    if (!isDirty && outgoing.length === 0) return undefined;
    this.#outgoing = [];
    return Promise.all([isDirty ? this.record.save() : undefined, ...outgoing]).then(() => undefined);
  };

  /** Handles a message from another node. */
  receive(kind: "cancel" | "answer" | "taken", id: string | number): void {
    if (kind === "cancel") {
      if (this.connection.isInFlight(id))
        this.connection.cancel(id, new DOMException(CANCELLED, "AbortError"));
    } else if (kind === "answer") {
      if (this.connection.pendingQuestions.includes(id)) this.#settleAnswers();
    } else {
      this.#replaceClient(String(id));
    }
  }

  /** Disconnects the previous client of a stream, because a new one has taken its place. */
  #replaceClient(stream: string): void {
    this.#streams.get(stream)?.release();
    for (const follower of this.#followers) if (follower.stream === stream) this.#forget(follower);
  }

  /** Reads what may have been missed while the store was away. */
  recover(): void {
    this.#refresh();
    this.#settleAnswers();
  }

  /** Checks the streams that clients follow. */
  beat(): void {
    for (const follower of this.#followers) follower.beat();
    this.#notices.check();
  }

  /** Closes this node's part, because the session has ended. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release();
    for (const stream of this.#streams.values()) stream.discard();
  }

  /** Leaves the session to the other nodes. Calls that still run are cancelled, and their clients get an error. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    const positions = [...this.#followers].map((follower) =>
      follower instanceof MainFollower ? this.record.save(follower.position) : undefined,
    );
    const abandoned = [...this.#streams.values()].map((stream) => stream.abandon());
    this.#release();
    await Promise.allSettled([...positions, ...abandoned]);
  }

  #release(): void {
    for (const task of this.#onClose.splice(0)) task();
    this.connection.close();
    for (const follower of this.#followers) follower.stop();
  }

  async #listenToMain(listener: Listener, resumed?: MainPosition): Promise<Listening> {
    const { node, changes } = this.#parts;
    await this.#take(MAIN);
    await this.#keeping;
    const position = resumed ?? this.record.main ?? { own: "", change: await changes.findPosition() };
    const { auth } = listener;
    const parts = { node, log: this.#log, auth, changes, connection: this.connection, position };
    const refreshed = () => this.#refreshing;
    const onChange = this.#notices.noteChange.bind(this.#notices);
    const create = (sink: ResumableSink) =>
      new MainFollower({ ...parts, refreshed, onChange }, sink, listener.retryMs);
    this.#follow(listener, create);
    this.#notices.check();
    return "listening";
  }

  async #resume(lastEventId: string, listener: Listener): Promise<Listening> {
    const { node } = this.#parts;
    const stream = streamOf(lastEventId);
    if (!(await node.isAlive(nodeOf(stream)))) await endLostStream(this.#log, stream);
    const { auth } = listener;
    if (await isOver(this.#log, lastEventId, auth)) return "over";
    await this.#take(stream);
    const at = { after: lastEventId, retryMs: listener.retryMs };
    this.#follow(listener, (sink) => new StreamFollower({ node, log: this.#log, auth }, sink, at));
    return "listening";
  }

  /** Disconnects the previous client of a stream, on any node. A stream has one client at a time. */
  async #take(stream: string): Promise<void> {
    this.#replaceClient(stream);
    await this.#parts.node.send({ kind: "taken", session: this.#parts.key, id: stream });
  }

  #follow(listener: Listener, create: (sink: ResumableSink) => Follower): void {
    let follower: Follower | undefined;
    let isGone = false;
    const sink = listener.open(() => {
      isGone = true;
      if (follower !== undefined) this.#forget(follower);
    });
    follower = create(sink);
    // The client may have disconnected, or the session may have ended, while the store was read.
    if (isGone || this.#isClosed || this.#isLeft) return follower.stop();
    this.#followers.add(follower);
    return follower.wake();
  }

  #forget(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    follower.stop();
    if (follower instanceof MainFollower) this.#keepPosition(follower);
    this.#unwatchIfUnused();
  }

  #unwatchIfUnused(): void {
    if (this.#followers.size > 0 || this.#arriving > 0) return;
    const unwatch = this.#unwatch;
    this.#unwatch = undefined;
    unwatch?.then((stop) => stop()).catch((error: unknown) => this.#parts.node.report(error));
  }

  /** Stores the position of a client that left, for one that reconnects without an event ID. */
  #keepPosition({ position }: MainFollower): void {
    const known = this.record.main;
    const isKnown = known?.own === position.own && known.change === position.change;
    if (this.#isClosed || this.#isLeft || isKnown) return;
    this.#keeping = this.record.save(position).catch((error: unknown) => this.#parts.node.report(error));
  }

  async #pushToMain(data: string): Promise<void> {
    await this.#log.append(`${MAIN}-${this.#parts.node.nextId()}`, { stream: MAIN, data });
    await this.#log.wake();
  }

  /** Follows the session's channel while it has clients on this node. */
  async #watch(): Promise<void> {
    this.#unwatch ??= this.#log.watch((text) => {
      if (text === RECORD_CHANGED) this.#refresh();
      else for (const follower of this.#followers) follower.wake();
    });
    const watching = this.#unwatch;
    try {
      await watching;
    } catch (error) {
      if (this.#unwatch === watching) this.#unwatch = undefined;
      throw error;
    }
  }

  /** Reads the record again, also if the store fails for a moment. Changes of the server wait for it. */
  #refresh(): void {
    const refreshing = this.#parts.node
      .retry(() => this.record.refresh())
      .catch((error: unknown) => this.#parts.node.report(error))
      .finally(() => {
        if (this.#refreshing === refreshing) this.#refreshing = undefined;
        this.#notices.check();
      });
    this.#refreshing = refreshing;
  }

  /** Settles the requests to the client whose responses arrived on other nodes. */
  #settleAnswers(): void {
    if (this.connection.pendingQuestions.length === 0) return;
    const settle = async () => {
      const pending = new Set(this.connection.pendingQuestions.map((id) => toAnswerId(String(id))));
      for (const { id, data } of (await this.#log.read()) ?? []) {
        if (!pending.has(id) || data === undefined) continue;
        this.connection.settle(readJson(data) as JsonRpcResponse); // Safe: a node stored this response
      }
    };
    settle().catch((error: unknown) => this.#parts.node.report(error));
  }
}

const CANCELLED = "The client cancelled the call.";
