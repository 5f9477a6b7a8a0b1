/**
 * @fileoverview The feed of changes that clients may hear of: lists that changed, resources that were updated.
 * @module core/changes
 */

/** Something that clients may want to hear of. */
export type Change =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | {
      readonly kind: "resource";
      readonly uri: string;
      /** What a principal must hold to hear of it, as things stand now. */
      readonly scopes?: readonly string[];
    };

/** Hears of changes. */
export type ChangeListener = (change: Change) => void;

/** Hands every change to every listener. */
export class ChangeFeed {
  readonly #listeners = new Set<ChangeListener>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens until the function returned is called. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells everyone; a listener that throws does not keep the others from hearing. */
  publish(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // A listener is a wire: that it is broken shows on the wire.
      }
    }
  }
}
