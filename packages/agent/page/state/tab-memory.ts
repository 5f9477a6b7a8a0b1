/**
 * @fileoverview Texts in the storage of the tab: the token, only if the user wants it, and the ID of the last user.
 * @module agent/page-app/state/tab-memory
 */

/** Part of `Storage` that a memory needs. */
export type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Text that is stored until the tab is closed. */
export interface TabMemory {
  readonly read: () => string | undefined;
  readonly keep: (text: string) => void;
  readonly forget: () => void;
}

/** Creates the memory of a text. A storage that throws stores nothing. */
export function createTabMemory(storage: TabStorage, name: "token" | "user"): TabMemory {
  const key = `tenon-agent-${name}`;
  const attempt = <T>(run: () => T): T | undefined => {
    try {
      return run();
    } catch {
      return undefined;
    }
  };
  return {
    read: () => attempt(() => storage.getItem(key)) ?? undefined,
    keep: (text) => attempt(() => storage.setItem(key, text)),
    forget: () => attempt(() => storage.removeItem(key)),
  };
}
