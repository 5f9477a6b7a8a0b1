/**
 * @fileoverview Title of a renamed task, in a small file next to the log. The file is replaced atomically, so that a
 * crash leaves either the old or the new title.
 * @module agent/storage/disk/task-meta
 */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { readTaskFile, syncFolder, writeNewFile } from "../log-file.js";
import { cutTitle, readLine } from "../log-lines.js";
import { createName, DRAFT } from "./draft-name.js";

/** Reads the title of a renamed task. Returns `undefined` if the task was not renamed, or the file is not readable. */
export async function readTitle(folder: string, taskId: string): Promise<string | undefined> {
  return readTaskFile(join(folder, taskId, META_NAME), async (handle) => {
    const bytes = new Uint8Array(MAX_META_BYTES);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const value = readLine(bytes.subarray(0, bytesRead));
    const title = isJsonObject(value) && value["v"] === FORMAT ? value["title"] : undefined;
    return typeof title === "string" ? cutTitle(title) : undefined;
  });
}

/** Stores the title of a task. Resolves when the title is on disk. The caller must serialize calls for a task. */
export async function writeTitle(folder: string, taskId: string, title: string): Promise<void> {
  // The next scan removes a draft that a crash left behind.
  const draft = join(folder, createName(DRAFT));
  try {
    await writeNewFile(draft, [encodeUtf8(JSON.stringify({ v: FORMAT, title }))]);
    await rename(draft, join(folder, taskId, META_NAME));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(join(folder, taskId));
}

const META_NAME = "meta.json";
const FORMAT = 1;
const MAX_META_BYTES = 4096;
