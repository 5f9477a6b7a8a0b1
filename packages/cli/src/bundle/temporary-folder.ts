/**
 * @fileoverview Runs a function with a temporary folder, which is always removed.
 * @module cli/bundle/temporary-folder
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs a function with a new, empty folder. Removes the folder when the function has finished or failed. */
export async function withTemporaryFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-bundle-")));
  try {
    return await run(folder);
  } finally {
    // On Windows, a program that has just exited may still hold its folder for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
