/**
 * @fileoverview A lock between processes, for installations that only one of them may run.
 * @module tools/folder-lock
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * Waits until it has created a folder, which only one process can do. Returns a function that removes the folder.
 *
 * @param staleMs age in milliseconds after which an abandoned lock is taken over
 */
export async function lockFolder(path: string, staleMs: number): Promise<() => void> {
  for (;;) {
    try {
      mkdirSync(path);
      return () => rmSync(path, { recursive: true, force: true });
    } catch {
      const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made > staleMs) rmSync(path, { recursive: true, force: true });
      await setTimeout(200);
    }
  }
}
