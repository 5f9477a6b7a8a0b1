/**
 * @fileoverview Texts that the user has entered and not sent, by conversation. They survive a reload, in this tab only.
 * @module agent/page-app/state/drafts
 */

import { quietly } from "./tab-memory.js";

/** Part of `Storage` that the drafts need. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Drafts of a page. */
export type Drafts = ReturnType<typeof createDrafts>;

const PREFIX = "tenon-agent-draft:";
const MAX_DRAFT = 100_000;

/** Creates the drafts of a page. A storage that throws, such as in private windows, only loses them on a reload. */
export function createDrafts(storage: DraftStorage) {
  const kept = new Map<string, string>();
  const keyOf = (taskId: string | undefined) => `${PREFIX}${taskId ?? ""}`;
  return {
    /** Returns the draft of a task, or of a new conversation. */
    read(taskId: string | undefined): string {
      const key = keyOf(taskId);
      return kept.get(key) ?? quietly(() => storage.getItem(key)) ?? "";
    },
    /** Stores a draft. An empty one is removed. */
    save(taskId: string | undefined, text: string): void {
      const key = keyOf(taskId);
      kept.set(key, text);
      quietly(() => {
        if (text === "") storage.removeItem(key);
        else if (text.length <= MAX_DRAFT) storage.setItem(key, text);
      });
    },
    /** Removes all drafts, because they belong to another user. */
    clear(): void {
      kept.clear();
      quietly(() => {
        const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
        for (const key of keys) if (key.startsWith(PREFIX)) storage.removeItem(key);
      });
    },
  };
}
