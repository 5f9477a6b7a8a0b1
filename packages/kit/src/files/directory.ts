/**
 * @fileoverview A store's directory: which files it has, and which one an id means.
 * @module kit/files/directory
 */
import { lstat, opendir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { isSafeName } from "./safe-path.js";

/** Between the id and the name that a file is saved under. */
export const DELIMITER = "~";

/** Most entries of a directory that are looked at; what a client can ask for costs no more than this. */
export const MAX_ENTRIES = 10_000;

/** A file of the store. */
export interface StoredFile {
  readonly fileId: string;
  readonly filename: string;
  readonly size: number;
  readonly modified: Date;
}

/** The id of a file: what stands before `~`, else its name without the last extension. */
export function fileIdOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 ? filename.slice(0, at) : parse(filename).name;
}

/** The name that a download has: without the id. */
export function downloadNameOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 && at < filename.length - 1 ? filename.slice(at + 1) : filename;
}

/** Files of a store's directory. */
export interface Directory {
  /** The one file with this id. With two of them, none: nobody can tell which was meant. */
  findById(fileId: string): Promise<string | undefined>;
  /** The files that an id leads to, by name, `max` at most. */
  list(max: number): Promise<readonly StoredFile[]>;
}

/** The names by their ids; `undefined` where two have one. */
type Index = ReadonlyMap<string, string | undefined>;

/**
 * Looks at a directory. It is read again when it has changed, and never twice at once: however many ask for ids that do
 * not exist, they cost one reading at a time.
 */
export function createDirectory(store: string): Directory {
  let kept: { readonly index: Index; readonly version: string } | undefined;
  let running: Promise<Index> | undefined;
  let waiting: Promise<Index> | undefined;

  const readNow = async (): Promise<Index> => {
    const version = await settledVersion(store);
    if (version !== undefined && kept?.version === version) return kept.index;
    const index = await readIndex(store);
    kept = version === undefined ? undefined : { index, version };
    return index;
  };
  const start = () => (running = readNow().finally(() => (running = undefined)));
  /** A reading under way may have passed what the caller saved just now, so that the caller waits for the next. */
  const readIndexOnce = (): Promise<Index> => {
    if (waiting !== undefined) return waiting;
    if (running === undefined) return start();
    waiting = running
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return start();
      });
    return waiting;
  };

  return {
    async findById(fileId) {
      return (await readIndexOnce()).get(fileId);
    },
    async list(max) {
      const names = [...(await readIndexOnce()).values()].filter((name) => name !== undefined).toSorted();
      const files = await mapInBatches(names.slice(0, max), (name) => describe(store, name));
      return files.filter((file) => file !== undefined);
    },
  };
}

/** Like `Promise.all` over `map`, a few at a time. */
export async function mapInBatches<From, To>(
  items: readonly From[],
  convert: (item: From) => Promise<To>,
): Promise<readonly To[]> {
  const converted: To[] = [];
  for (let at = 0; at < items.length; at += BATCH) {
    converted.push(...(await Promise.all(items.slice(at, at + BATCH).map(convert))));
  }
  return converted;
}

const BATCH = 16;

/** How long a directory must have been left alone before its time of change tells it from every later state. */
const SETTLED_MS = 2_000;

/**
 * Names the state of a directory, where that can be told: clocks of file systems are coarse, so that a change right after
 * another one does not show.
 */
async function settledVersion(store: string): Promise<string | undefined> {
  try {
    const { dev, ino, mtimeNs, mtimeMs } = await stat(store, { bigint: true });
    return systemPorts.now() - Number(mtimeMs) > SETTLED_MS ? `${dev} ${ino} ${mtimeNs}` : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @throws where the directory has more entries than are looked at: half a look would give wrong answers */
async function readIndex(store: string): Promise<Index> {
  const index = new Map<string, string | undefined>();
  let count = 0;
  try {
    for await (const entry of await opendir(store, { bufferSize: 1_024 })) {
      if (++count > MAX_ENTRIES) {
        throw new Error(`The store has more than ${MAX_ENTRIES} entries: give getMetadata and getAllFiles`);
      }
      if (!entry.isFile() || !isSafeName(entry.name)) continue;
      const fileId = fileIdOf(entry.name);
      index.set(fileId, index.has(fileId) ? undefined : entry.name);
    }
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
  return index;
}

async function describe(store: string, filename: string): Promise<StoredFile | undefined> {
  try {
    const found = await lstat(join(store, filename));
    if (!found.isFile()) return undefined;
    return { fileId: fileIdOf(filename), filename, size: found.size, modified: found.mtime };
  } catch (error) {
    if (isMissing(error)) return undefined; // deleted since it was read
    throw error;
  }
}

/** Tells whether an error of the file system means that there is no such file, or none that can be opened. */
export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO"].includes(code);
}
