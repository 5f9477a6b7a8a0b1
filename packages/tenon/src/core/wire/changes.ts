/**
 * @fileoverview Publishes list changes and resource updates within the server.
 * @module tenon/core/wire/changes
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcNotification } from "../../protocol/index.js";

/** Changed list (`tools`, `resources`, `prompts`) or updated resource (`resource`). */
export type Change =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | {
      readonly kind: "resource";
      readonly uri: string;
      /** Scopes that a principal must have to receive the notification. */
      readonly scopes?: readonly string[];
    };

/** Sends a notification about a change. Its receiver needs `scopes`. */
export type NotifyChange = (
  notification: JsonRpcNotification,
  scopes?: readonly string[],
) => MaybePromise<void> | undefined;

/** Receives changes. */
export type ChangeListener = (change: Change) => void;

/** A change that is not stored for the other nodes. Handlers that wait for it fail during an outage of the store. */
export class NotStoredError extends Error {
  override readonly name = "NotStoredError";

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    // Where the change was made says nothing about the store.
    this.stack = String(this);
  }
}

/** Sends changes to other nodes, and receives theirs. */
export interface ChangeLink {
  /** Stores a change for all nodes. Rejects within a few seconds if the store fails. */
  publish(change: Change): Promise<void>;
  subscribe(listener: ChangeListener): void;
  /** Resolves when later changes of other nodes are received. Returns `undefined` if they are, as without this method. */
  ready?(): Promise<void> | undefined;
}

/** Delivers every change to every listener. */
export class ChangeFeed {
  readonly #listeners = new Set<ChangeListener>();
  #link: ChangeLink | undefined;
  #published = 0;
  /** Resolves when each change so far is stored or has failed. */
  #settled: Promise<unknown> = DONE;

  /** True if the changes of this feed are stored for other nodes. */
  get isLinked(): boolean {
    return this.#link !== undefined;
  }

  /** Number of listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Resolves when later changes of other nodes are received. `undefined` if they are. @throws if the store fails */
  get ready(): Promise<void> | undefined {
    return this.#link?.ready?.();
  }

  /** Adds a listener. The returned function removes it. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Links the feed to the feeds of other nodes. Returns false if it is linked already. */
  link(link: ChangeLink): boolean {
    if (this.#link !== undefined) return false;
    this.#link = link;
    link.subscribe((change) => this.#deliver(change));
    return true;
  }

  /**
   * Calls every listener, on every linked node. A listener that throws does not affect the others. The promise resolves
   * when the change is stored for the other nodes.
   */
  publish(change: Change): Promise<void> {
    this.#published++;
    this.#deliver(change);
    if (this.#link === undefined) return DONE;
    const stored = this.#link.publish(change);
    // The caller may ignore the promise, and the link logs lost changes.
    this.#settled = Promise.all([this.#settled, stored.catch(() => undefined)]);
    return stored;
  }

  /**
   * Holds the outcome of a call back until the changes that were made in the meantime are stored for the other nodes, or
   * have failed. A change does not tell which call made it, so those of other calls count, too.
   */
  async hold<T>(call: () => MaybePromise<T>): Promise<T> {
    const before = this.#published;
    try {
      return await call();
    } finally {
      if (this.#published !== before) await this.#settled;
    }
  }

  #deliver(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // Ignore errors in listeners: transports report their own failures.
      }
    }
  }
}

const DONE = /* @__PURE__ */ Promise.resolve();
