/**
 * @fileoverview Texts that the user has entered and not sent, by conversation. They survive a reload, in this tab only.
 * @module agent/page-app/state/drafts
 */

/** Part of `Storage` that the drafts need. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Drafts of a page. */
export interface Drafts {
  /** Returns the draft of a task, or of a new conversation. */
  readonly read: (taskId: string | undefined) => string;
  /** Stores a draft. An empty one is removed. */
  readonly save: (taskId: string | undefined, text: string) => void;
  /** Removes all drafts, because they belong to another user. */
  readonly clear: () => void;
}

const PREFIX = "tenon-agent-draft:";
const MAX_DRAFT = 100_000;

/** Creates the drafts of a page. A storage that throws, such as in private windows, only loses them on a reload. */
export function createDrafts(storage: DraftStorage): Drafts {
  const kept = new Map<string, string>();
  const keyOf = (taskId: string | undefined) => `${PREFIX}${taskId ?? ""}`;
  return {
    read(taskId) {
      const key = keyOf(taskId);
      const known = kept.get(key);
      if (known !== undefined) return known;
      try {
        return storage.getItem(key) ?? "";
      } catch {
        return "";
      }
    },
    save(taskId, text) {
      const key = keyOf(taskId);
      kept.set(key, text);
      try {
        if (text === "") storage.removeItem(key);
        else if (text.length <= MAX_DRAFT) storage.setItem(key, text);
      } catch {
        // The storage is full or not available. The draft stays until the page is closed.
      }
    },
    clear() {
      kept.clear();
      try {
        const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
        for (const key of keys) if (key.startsWith(PREFIX)) storage.removeItem(key);
      } catch {
        // The storage is not available, so it has no drafts.
      }
    },
  };
}
