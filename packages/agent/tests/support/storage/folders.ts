/**
 * @fileoverview Temporary storage folders for tests, and helpers for their contents.
 * @module tests/agent/support/storage/folders
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TaskEntry } from "../../../src/storage/task-entry.js";
import type { TaskLog } from "../../../src/storage/task-log.js";
import type { TaskStoreOptions } from "../../../src/storage/store-options.js";
import { TaskStore } from "../../../src/storage/task-store.js";

/** Creates a folder that is removed when the test ends. */
export function makeFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "tenon-storage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a store and records its warnings. Its files are closed when the test ends. */
export function openStore(
  folder: string,
  options: Partial<TaskStoreOptions> = {},
): { readonly store: TaskStore; readonly warnings: string[] } {
  const warnings: string[] = [];
  const quiet = () => undefined;
  const logger = {
    debug: quiet,
    info: quiet,
    warn: (text: string) => void warnings.push(text),
    error: quiet,
  };
  const store = new TaskStore({ folder, logger, ...options });
  onTestFinished(() => store.close());
  return { store, warnings };
}

/** Opens the log of a task that must exist. */
export async function openTask(store: TaskStore, taskId: string): Promise<TaskLog> {
  const log = await store.open(taskId);
  if (log === undefined) throw new Error(`Task ${taskId} does not exist.`);
  return log;
}

/** Creates tasks, the last one being the newest. */
export async function createAll(store: TaskStore, taskIds: readonly string[]): Promise<void> {
  for (const taskId of taskIds) await store.release(await store.create({ taskId, title: `Title ${taskId}` }));
}

/** Returns the IDs of tasks. */
export function idsOf(tasks: readonly { readonly taskId: string }[]): readonly string[] {
  return tasks.map(({ taskId }) => taskId);
}

/** Creates an entry with the same text for users and the model. */
export function said(text: string): TaskEntry {
  return {
    shown: { type: "message", data: { message: text } },
    model: { role: "assistant", content: text },
    status: "idle",
  };
}

/** Returns the texts of the entries. */
export function textsOf(entries: readonly TaskEntry[]): unknown[] {
  return entries.map(({ shown }) => shown?.data["message"]);
}

/** Reads every file below a folder. */
export function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .map((file) => [join(file.parentPath, file.name), file] as const)
      .map(([path, file]) => [path, file.isFile() ? readFileSync(path, "latin1") : "(no file)"]),
  );
}
