/**
 * @fileoverview Feed of changed lists and updated resources.
 * @module core/changes
 */

/** Change that clients can be notified of. */
export type Change =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | {
      readonly kind: "resource";
      readonly uri: string;
      /** Scopes that a principal currently needs to be notified. */
      readonly scopes?: readonly string[];
    };

/** Function that receives changes. */
export type ChangeListener = (change: Change) => void;

/** Delivers every change to every listener. */
export class ChangeFeed {
  readonly #listeners = new Set<ChangeListener>();

  /** Number of listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener until the returned function is called. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls every listener. A listener that throws does not affect the others. */
  publish(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // Listeners belong to transports, which report their own failures.
      }
    }
  }
}
