/**
 * @fileoverview Lock file that prevents two processes from using one directory. The lock of a process that no longer
 * exists is taken over.
 * @module tasks/directory/directory-lock
 */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isJsonObject } from "@tenon/internal/json";

/** Directories that this process has locked. A process ID alone cannot tell this process from an earlier one. */
const ownLocks = new Set<string>();

/** Locks a directory until the returned function is called. @throws if another process or server uses it */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = resolve(directory, "lock");
  if (ownLocks.has(path)) throw inUse(directory, "another server in this process");
  ownLocks.add(path);
  try {
    await acquire(path, directory);
  } catch (error) {
    ownLocks.delete(path);
    throw error;
  }
  let isHeld = true;
  return async () => {
    if (!isHeld) return;
    isHeld = false;
    await rm(path, { force: true });
    ownLocks.delete(path);
  };
}

/**
 * Creates a lock file, or takes over that of an ended process. The right to take it over is a lock too, so that only one
 * process replaces the file.
 */
async function acquire(path: string, directory: string, depth = 0): Promise<void> {
  const own = `${process.pid} ${await startTimeOf(process.pid)}`;
  const attempts = depth < MAX_DEPTH ? MAX_ATTEMPTS : 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createFile(path, own)) return;
    const held = await readFile(path, "utf8").catch(() => undefined);
    if (held === undefined) continue;
    const [pid = "", startTime = ""] = held.split(" ");
    if (await isAlive(Number(pid), startTime)) throw inUse(directory, `process ${pid}`);
    const right = `${path}.next`;
    await acquire(right, directory, depth + 1);
    try {
      // Only the owner of the right changes the file of an ended process.
      if ((await readFile(path, "utf8").catch(() => undefined)) === held) return await replaceFile(path, own);
    } finally {
      await rm(right, { force: true });
    }
  }
  throw inUse(directory, "a process that is starting");
}

const MAX_ATTEMPTS = 5;

/** Maximum number of processes that ended while they took over the lock. */
const MAX_DEPTH = 5;

/** Creates a file. Returns false if it exists. */
async function createFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text);
  try {
    // The file appears with its content, so that no other process can read an empty one.
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
  } finally {
    await rm(draft, { force: true });
  }
  // Some file systems do not support links.
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeDraft(path, text), path);
}

async function writeDraft(path: string, text: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  return draft;
}

/** Returns true if the process that wrote a lock still exists. */
async function isAlive(pid: number, startTime: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  // An earlier process can have had the same ID, as in a restarted container.
  if (pid === process.pid && startTime === "") return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  // The system may have given the ID to a different process.
  return (await startTimeOf(pid)) === startTime;
}

/** Returns the start time of a process where the system provides it (Linux), or an empty string. */
async function startTimeOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the name in parentheses, which can contain spaces. The start time is the 22nd field.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TIME] ?? "";
}

const START_TIME = 19;

function codeOf(error: unknown): unknown {
  return isJsonObject(error) ? error["code"] : undefined;
}

function inUse(directory: string, owner: string): Error {
  return new Error(
    `The task directory "${directory}" is in use by ${owner}. ` +
      "Use a different directory, or stop that process. If it does not exist, delete the file `lock`.",
  );
}
