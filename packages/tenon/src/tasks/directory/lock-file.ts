/**
 * @fileoverview File that one process creates to lock a directory. The file of a process that no longer exists is taken
 * over. Processes on another host, such as another container, cannot be looked up, so their files count until they have
 * not been renewed for some time.
 * @module tasks/directory/lock-file
 */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isJsonObject } from "@tenon/internal/json";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf } from "@tenon/internal/thrown";

/** File to create, and the directory that it locks. */
export interface LockFile {
  readonly path: string;
  readonly directory: string;
  /** Name of this host. */
  readonly host: string;
  /** Time in milliseconds after which the file of another host counts as abandoned. */
  readonly abandonedMs: number;
}

/** Creates a lock file, or takes over an abandoned one. Returns its text. @throws if the directory is in use */
export async function acquireFile(file: LockFile): Promise<string> {
  const { pid } = process;
  const owner: Owner = { host: file.host, pid, startTime: await startTimeOf(pid) };
  // The ID tells this lock from others of the same process.
  const own = JSON.stringify({ ...owner, id: randomUUID() });
  await acquire(file, own);
  return own;
}

/** Process that created a lock file. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
}

/** The right to take a file over is a lock too, so that only one process replaces the file. */
async function acquire(file: LockFile, own: string, depth = 0): Promise<void> {
  const { path, directory } = file;
  const attempts = depth < MAX_DEPTH ? MAX_ATTEMPTS : 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createFile(path, own)) return;
    const held = await readText(path);
    if (held === undefined) continue;
    await assertAbandoned(file, held);
    const right = `${path}.next`;
    await acquire({ ...file, path: right }, own, depth + 1);
    try {
      // Only the owner of the right changes an abandoned file. Its owner may have renewed it in the meantime.
      if ((await readText(path)) !== held) continue;
      await assertAbandoned(file, held);
      return await replaceFile(path, own);
    } finally {
      await rm(right, { force: true });
    }
  }
  throw inUse(directory, "a process that is starting", STOP_PROCESS);
}

const MAX_ATTEMPTS = 5;

/** Maximum number of processes that ended while they took over the lock. */
const MAX_DEPTH = 5;

/** Throws an error if the owner of a lock file may still use the directory. */
async function assertAbandoned(
  { path, directory, host, abandonedMs }: LockFile,
  text: string,
): Promise<void> {
  const owner = parseOwner(text);
  if (owner === undefined) return;
  const name = `process ${owner.pid}`;
  if (owner.host === host) {
    if (await isAlive(owner)) throw inUse(directory, name, STOP_PROCESS);
    return;
  }
  const renewedAt = await stat(path).then(({ mtimeMs }) => mtimeMs, ignoreMissing);
  const leftMs = (renewedAt ?? 0) + abandonedMs - systemPorts.now();
  if (leftMs <= 0) return;
  const advice =
    "Use a different directory, or stop that process. " +
    `If it has ended, the directory can be used in ${Math.ceil(leftMs / 1_000)} seconds.`;
  throw inUse(directory, `${name} on host ${JSON.stringify(owner.host)}`, advice);
}

const STOP_PROCESS =
  "Use a different directory, or stop that process. If it does not exist, delete the file `lock`.";

/** Creates the error for a directory that has an owner. */
export function inUse(directory: string, owner: string, advice: string): Error {
  return new Error(`The task directory "${directory}" is in use by ${owner}. ${advice}`);
}

/** Creates a file. Returns false if it exists. */
export async function createFile(path: string, text: string): Promise<boolean> {
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

/** Returns the text of a file, or `undefined` if it does not exist. */
export function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { host, pid, startTime } = value;
    const isOwner = typeof host === "string" && typeof pid === "number" && typeof startTime === "string";
    return isOwner && Number.isSafeInteger(pid) && pid > 0 ? { host, pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if a process of this host still exists. */
async function isAlive({ pid, startTime }: Owner): Promise<boolean> {
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
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the name in parentheses, which can contain spaces. The start time is the 22nd field.
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[START_TIME] ?? "";
}

const START_TIME = 19;
