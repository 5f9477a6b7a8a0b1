/**
 * @fileoverview Log of a server's changes on all nodes. A client that resumes its main stream on any node receives the
 * changes that it missed, and a change is stored only once, however many sessions there are.
 * @module tenon/session/shared/change-log
 */
import { isJsonObject } from "@tenon/internal/json";
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import type { Change, ChangeLink, ChangeListener } from "../../core/wire/changes.js";
import { ChangeQueue } from "./change-queue.js";
import type { ClusterNode } from "./cluster-node.js";

/** Receives changes in order, with their IDs. */
export type ChangeFollower = (id: string, change: Change) => void;

interface LoggedChange {
  readonly id: string;
  /** ID of the node that made the change. */
  readonly node: string;
  readonly change: Change;
}

/** Receives messages that arrive with the announcements of changes. */
export interface MessageListener {
  /** Called if another node has changed the record of a session, before the changes that follow are delivered. */
  onRecord(session: string): void;
  /** Called before updates are delivered without an announcement. Messages about records may be missing, too. */
  onMissed(): void;
}

/** Log of a server's changes. */
export class ChangeLog implements ChangeLink {
  readonly #node: ClusterNode;
  readonly #name: string;
  readonly #followers = new Set<ChangeFollower>();
  readonly #listeners: ChangeListener[] = [];
  /** Adds the followers that could not be added before, because the store failed. */
  readonly #delayed: (() => void)[] = [];
  /** Newest changes, oldest first, so that most clients resume without a read. */
  #recent: LoggedChange[] = [];
  /** ID of the last change that was read. Empty if the log is empty. */
  #cursor = "";
  #isOpen = false;
  /** Reads run one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isReading = false;
  /** True if changes were announced since the last read began. */
  #isAnnounced = false;
  #listener: MessageListener | undefined;
  readonly #queue: ChangeQueue;

  constructor(node: ClusterNode) {
    this.#node = node;
    this.#name = toChangesName(node);
    this.#queue = new ChangeQueue(node, (id, change) => this.#append(id, change));
  }

  /** Starts to read the changes of all nodes. */
  start(listener: MessageListener): void {
    this.#listener = listener;
    const read = () => this.#wake();
    const hear = (text: string) => {
      const [nodeId, session] = text.split("/");
      if (session !== undefined) return nodeId === this.#node.id ? undefined : listener.onRecord(session);
      this.#isAnnounced = true;
      return read();
    };
    this.#node.subscribe(this.#name, hear, read);
    this.#node.onBeat(() => {
      for (const add of this.#delayed.splice(0)) add();
      read();
    });
    read();
  }

  /** Returns the ID of the newest change that this node knows. @throws if the store fails before it knows any */
  async findPosition(): Promise<string> {
    if (!this.#isOpen) {
      await new Promise<void>((resolve, reject) => {
        this.#enqueue(() => this.#readNew().then(resolve, reject));
      });
    }
    return this.#cursor;
  }

  ready(): Promise<void> | undefined {
    if (this.#isOpen) return undefined;
    return this.#node.retry(() => this.findPosition(), READY_MS).then(() => undefined);
  }

  publish(change: Change): Promise<void> {
    return this.#queue.add(change);
  }

  /** Waits until the changes of this node are stored, after the node was stopped. */
  stop(patience: Promise<void>): Promise<void> {
    return this.#queue.stop(patience);
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Sends the changes after `after` to a follower, and then every new one. The returned function stops it. */
  follow(after: string, follower: ChangeFollower): () => void {
    let isStopped = false;
    const start = async () => {
      await this.#readNew();
      for (const { id, change } of await this.#between(after)) if (!isStopped) follower(id, change);
      if (!isStopped) this.#followers.add(follower);
    };
    const add = () => {
      if (isStopped) return;
      this.#enqueue(() =>
        start().catch((error: unknown) => {
          this.#delayed.push(add);
          throw error;
        }),
      );
    };
    add();
    return () => {
      isStopped = true;
      this.#followers.delete(follower);
    };
  }

  async #append(id: string, change: Change): Promise<void> {
    const { sealer, store } = this.#node;
    const text = toRecordText("change of a server", { node: this.#node.id, change });
    const sealed = await sealer.seal(text, this.#placeOf(id));
    await store.events.append(this.#name, sealed, { id });
    // This node waits for its own announcement, too. If it is lost, every node reads the change a moment later.
    store.bus.publish(this.#name, "").catch((error: unknown) => this.#node.report(error));
  }

  /** Reads new changes. Calls during a read are combined into one more read. */
  #wake(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#enqueue(async () => {
      this.#isReading = false;
      await this.#readNew();
    });
  }

  #enqueue(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).catch((error: unknown) => this.#node.report(error));
  }

  async #readNew(): Promise<void> {
    if (!this.#isOpen) return this.#open();
    const isAnnounced = this.#isAnnounced;
    this.#isAnnounced = false;
    for (;;) {
      const found = await this.#read(this.#cursor, PAGE);
      if (!isAnnounced && found.some(({ change }) => change.kind === "resource")) this.#listener?.onMissed();
      for (const logged of found) this.#deliver(logged);
      if (found.length < PAGE) return undefined;
    }
  }

  /** Skips the changes of the time before this node. */
  async #open(): Promise<void> {
    const known = await this.#read("");
    this.#recent = known.slice(-MAX_RECENT);
    this.#cursor = known.at(-1)?.id ?? "";
    this.#isOpen = true;
  }

  #deliver(logged: LoggedChange): void {
    const { id, node, change } = logged;
    this.#cursor = id;
    this.#recent.push(logged);
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT);
    // The listeners of this node were called when the change was made.
    if (node !== this.#node.id) for (const listener of this.#listeners) listener(change);
    for (const follower of this.#followers) follower(id, change);
  }

  /** Returns the changes after `after` that this node has read. */
  async #between(after: string): Promise<readonly LoggedChange[]> {
    if (after === this.#cursor) return [];
    const index = this.#recent.findIndex(({ id }) => id === after);
    if (index >= 0) return this.#recent.slice(index + 1);
    const found = await this.#read(after);
    const end = found.findIndex(({ id }) => id === this.#cursor);
    return found.slice(0, end + 1);
  }

  /** Reads changes after an ID. If that change no longer exists, all existing ones are newer. */
  async #read(after: string, limit?: number): Promise<readonly LoggedChange[]> {
    const { events } = this.#node.store;
    const newer = after === "" ? undefined : await events.read(this.#name, after, limit);
    const found = newer?.ok === true ? newer : await events.read(this.#name, undefined, limit);
    if (!found.ok) return [];
    return Promise.all(found.events.map(({ id, event }) => this.#parse(id, event)));
  }

  async #parse(id: string, event: string): Promise<LoggedChange> {
    const text = await this.#node.sealer.open(event, this.#placeOf(id));
    const found = checkRecord("change of a server", text);
    const { node, change } = found.kind === "read" ? found.record : {};
    if (typeof node === "string" && isJsonObject(change)) return { id, node, change: change as Change }; // Safe: a node encrypted it
    if (found.kind === "newer") this.#node.reportNewer(found.problem);
    else this.#node.reportProblem(new Error("A change in the store cannot be decrypted. It was skipped."));
    return { id, node: this.#node.id, change: UNREADABLE };
  }

  #placeOf(id: string): string {
    return `${this.#name}/${id}`;
  }
}

/** Returns the name of the log and the channel of a server's changes. */
export function toChangesName({ server }: ClusterNode): string {
  return `changes/${server}`;
}

/** Returns the message that tells other nodes that the record of a session has changed. */
export function toRecordMessage({ id }: ClusterNode, session: string): string {
  return `${id}/${session}`;
}

/** Update that no client is subscribed to. It takes the place of a change that cannot be decrypted. */
const UNREADABLE: Change = { kind: "resource", uri: "" };

/** Time in milliseconds for which a node that has just started tries to read the log for a client. */
const READY_MS = 4_000;

const PAGE = 200;
const MAX_RECENT = 1_000;
