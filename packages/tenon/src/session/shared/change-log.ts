/**
 * @fileoverview Log of a server's changes on all nodes. A client that resumes its main stream on any node receives the
 * changes that it missed, and a change is stored only once, however many sessions there are.
 * @module session/shared/change-log
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Change, ChangeLink, ChangeListener } from "../../core/wire/changes.js";
import type { ClusterNode } from "./cluster-node.js";

/** Receives changes in order, with their IDs. */
export type ChangeFollower = (id: string, change: Change) => void;

interface LoggedChange {
  readonly id: string;
  /** ID of the node that made the change. */
  readonly node: string;
  readonly change: Change;
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
  #queued = 0;
  /** Appends run one after the other, so that other nodes see the changes in order. */
  #appends: Promise<void> = Promise.resolve();

  constructor(node: ClusterNode) {
    this.#node = node;
    this.#name = `changes/${node.server}`;
  }

  /** Starts to read the changes of all nodes. */
  start(): void {
    const read = () => this.#wake();
    this.#node.subscribe(this.#name, read, read);
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

  publish(change: Change): void {
    if (this.#queued >= MAX_QUEUED) return this.#node.report(new Error(QUEUE_FULL));
    this.#queued++;
    const id = this.#node.nextId();
    const append = async () => {
      const { sealer, store } = this.#node;
      const sealed = await sealer.seal(JSON.stringify({ node: this.#node.id, change }), this.#placeOf(id));
      await this.#node.retry(() => store.events.append(this.#name, sealed, { id }));
      await store.bus.publish(this.#name, "");
      this.#wake();
    };
    this.#appends = this.#appends
      .then(append)
      .catch((error: unknown) => this.#node.report(error))
      .finally(() => this.#queued--);
    return undefined;
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
    for (;;) {
      const found = await this.#read(this.#cursor, PAGE);
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
    const value = text === undefined ? undefined : readJson(text);
    if (isJsonObject(value) && typeof value["node"] === "string" && isJsonObject(value["change"]))
      return { id, node: value["node"], change: value["change"] as Change }; // Safe: a node encrypted it
    this.#node.report(new Error("A change in the store cannot be decrypted. It was skipped."));
    return { id, node: this.#node.id, change: UNREADABLE };
  }

  #placeOf(id: string): string {
    return `${this.#name}/${id}`;
  }
}

/** Update that no client is subscribed to. It takes the place of a change that cannot be decrypted. */
const UNREADABLE: Change = { kind: "resource", uri: "" };

/** Maximum number of changes that wait for the store. */
const MAX_QUEUED = 10_000;
const QUEUE_FULL = `Too many changes wait for the store (limit: ${MAX_QUEUED}). Other nodes miss a change.`;

const PAGE = 200;
const MAX_RECENT = 1_000;
