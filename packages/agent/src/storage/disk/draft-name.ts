/**
 * @fileoverview Names of drafts: files and folders that are written completely before they get their final name.
 * @module agent/storage/disk/draft-name
 */
import { randomUUID } from "node:crypto";

/** Creates a name for a draft in the storage folder. A task ID never has this form. */
export function createDraftName(): string {
  return `.new-${randomUUID()}`;
}

/** Returns true if a name belongs to a draft. After a crash, a draft is incomplete and can be removed. */
export function isDraftName(name: string): boolean {
  return DRAFT.test(name);
}

const DRAFT = /^\.new-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
