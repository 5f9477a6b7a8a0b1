/**
 * @fileoverview Names of folders and files that are not tasks. A task ID never has their form.
 * @module agent/storage/disk/draft-name
 */
import { randomUUID } from "node:crypto";
import { isResultId } from "../task-id.js";

/** Prefix of a draft. After a crash, a draft is incomplete and can be removed. */
export const DRAFT = ".new-";
/** Prefix of a deleted task. */
export const TRASH = ".deleted-";

/** Creates a new name with a prefix. */
export function createName(prefix: string): string {
  return `${prefix}${randomUUID()}`;
}

/** Returns true if a name was created with a prefix. */
export function hasPrefix(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && isResultId(name.slice(prefix.length));
}
