/**
 * @fileoverview Creates folders, with the real reason if that fails.
 * @module internal/files/make-folder
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../thrown.js";

/** Creates a folder and its parents. Returns the first one that was created, or `undefined` if all of them exist. */
export async function makeFolder(path: string, mode?: number): Promise<string | undefined> {
  const options = mode === undefined ? {} : { mode };
  try {
    return await mkdir(path, { ...options, recursive: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    // With `recursive`, Node.js reports a missing folder even if the disk is read-only or full.
    const first = await findFirstMissing(path);
    await mkdir(first, options);
    await mkdir(path, { ...options, recursive: true });
    return first;
  }
}

async function findFirstMissing(path: string): Promise<string> {
  const parent = dirname(path);
  const exists = parent === path || (await stat(parent).catch(() => undefined)) !== undefined;
  return exists ? path : findFirstMissing(parent);
}
