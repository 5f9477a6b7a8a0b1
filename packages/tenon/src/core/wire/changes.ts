/**
 * @fileoverview Publishes list changes and resource updates within the server.
 * @module core/changes
 */

/** Changed list (`tools`, `resources`, `prompts`) or updated resource (`resource`). */
export type Change =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | {
      readonly kind: "resource";
      readonly uri: string;
      /** Scopes that a principal must have to receive the notification. */
      readonly scopes?: readonly string[];
    };

/** Receives changes. */
export type ChangeListener = (change: Change) => void;

/** Sends changes to other nodes, and receives theirs. */
export interface ChangeLink {
  publish(change: Change): void;
  subscribe(listener: ChangeListener): void;
}

/** Delivers every change to every listener. */
export class ChangeFeed {
  readonly #listeners = new Set<ChangeListener>();
  #link: ChangeLink | undefined;

  /** Number of listeners. */
  get size(): number {
    return this.#listeners.size;
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

  /** Calls every listener, on every linked node. A listener that throws does not affect the others. */
  publish(change: Change): void {
    this.#deliver(change);
    this.#link?.publish(change);
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
