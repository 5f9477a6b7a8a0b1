/**
 * @fileoverview A lock between processes, for what only one of them may install.
 * @module tools/folder-lock
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * Waits until a folder is there that only one process can make; the function returned takes it away again.
 *
 * @param staleMs one that was left behind longer than this is taken over
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
