/**
 * @fileoverview File that one process creates to lock something. The file of a process that no longer exists is taken
 * over. Processes on another host, such as another container, cannot be looked up, so their files count until they have
 * not been renewed for some time.
 * @module internal/files/lock-file
 */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isJsonObject } from "../json.js";
import { systemPorts } from "../ports.js";
import { codeOf } from "../thrown.js";

/** File to create. */
export interface LockFile {
  readonly path: string;
  /** Name of this host. */
  readonly host: string;
  /** Time in milliseconds after which the file of another host counts as abandoned. */
  readonly abandonedMs: number;
}

/** Process that holds a lock. */
export interface LockHolder {
  /** ID of the process. `undefined` if it is unknown, because several processes try to create the file. */
  readonly pid?: number;
  /** Host of the process, if it is not this one. */
  readonly host?: string;
  /** Time in milliseconds until the lock is abandoned, if only its renewals show that the process still exists. */
  readonly leftMs?: number;
}

/** Text of the created file, or the process that holds the lock. */
export type AcquiredFile =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly holder: LockHolder };

/** Creates a lock file, or takes over an abandoned one. */
export async function acquireFile(file: LockFile): Promise<AcquiredFile> {
  const { pid } = process;
  const owner: Owner = { host: file.host, pid, startTime: await startTimeOf(pid) };
  // The ID tells this lock from others of the same process.
  const text = JSON.stringify({ ...owner, id: randomUUID() });
  const holder = await acquire(file, text);
  return holder === undefined ? { ok: true, text } : { ok: false, holder };
}

/** Returns the name of a lock's holder for messages. */
export function nameHolder({ pid, host }: LockHolder): string {
  if (pid === undefined) return "a process that is starting";
  return host === undefined ? `process ${pid}` : `process ${pid} on host ${JSON.stringify(host)}`;
}

/** Process that created a lock file. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
}

/**
 * Returns the holder, or `undefined` if the file was created. The right to take a file over is a lock too, so that only
 * one process replaces the file.
 */
async function acquire(file: LockFile, own: string, depth = 0): Promise<LockHolder | undefined> {
  const { path } = file;
  const attempts = depth < MAX_DEPTH ? MAX_ATTEMPTS : 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createFile(path, own)) return undefined;
    const held = await readText(path);
    if (held === undefined) continue;
    const holder = await findHolder(file, held);
    if (holder !== undefined) return holder;
    const right = `${path}.next`;
    const rival = await acquire({ ...file, path: right }, own, depth + 1);
    if (rival !== undefined) return rival;
    try {
      // Only the owner of the right changes an abandoned file. Its owner may have renewed it in the meantime.
      if ((await readText(path)) !== held) continue;
      const renewed = await findHolder(file, held);
      if (renewed === undefined) await replaceFile(path, own);
      return renewed;
    } finally {
      await rm(right, { force: true });
    }
  }
  return {};
}

const MAX_ATTEMPTS = 5;

/** Maximum number of processes that ended while they took over the lock. */
const MAX_DEPTH = 5;

/** Returns the process that created a lock file, or `undefined` if the file is abandoned. */
async function findHolder(
  { path, host, abandonedMs }: LockFile,
  text: string,
): Promise<LockHolder | undefined> {
  const owner = parseOwner(text);
  if (owner === undefined) return undefined;
  const { pid } = owner;
  const isLocal = owner.host === host;
  if (isLocal && !(await isAlive(owner))) return undefined;
  // Without a start time, the ID may belong to a later process, even to this one.
  if (isLocal && owner.startTime !== "") return { pid };
  const renewedAt = await stat(path).then(({ mtimeMs }) => mtimeMs, ignoreMissing);
  const leftMs = (renewedAt ?? 0) + abandonedMs - systemPorts.now();
  if (leftMs <= 0) return undefined;
  return isLocal ? { pid, leftMs } : { pid, leftMs, host: owner.host };
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
  try {
    await writeFile(draft, text, { mode: 0o600 });
    return draft;
  } catch (error) {
    // On a full disk, every attempt would leave an empty file behind.
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
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
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  // The system may have given the ID to a different process.
  return startTime === "" || (await startTimeOf(pid)) === startTime;
}

/** Returns the start time of a process where the system provides it (Linux), or an empty string. */
async function startTimeOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the name in parentheses, which can contain spaces. The start time is the 22nd field.
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[START_TIME] ?? "";
}

const START_TIME = 19;
