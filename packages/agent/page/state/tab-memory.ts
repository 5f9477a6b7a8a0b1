/**
 * @fileoverview Texts in the storage of the tab: the token, only if the user wants it, and the ID of the last user.
 * @module agent/page-app/state/tab-memory
 */

/** Part of `Storage` that a memory needs. */
export type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Creates the memory of a text. A storage that throws stores nothing. */
export function createTabMemory(storage: TabStorage, name: "token" | "user") {
  const key = `tenon-agent-${name}`;
  return {
    read: () => quietly(() => storage.getItem(key)) ?? undefined,
    keep: (text: string) => quietly(() => storage.setItem(key, text)),
    forget: () => quietly(() => storage.removeItem(key)),
  };
}

/** Uses a storage. Returns `undefined` if it throws, such as in private windows, or if it is full. */
export function quietly<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
