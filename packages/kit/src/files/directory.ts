/**
 * @fileoverview Lists the files in a store and finds files by ID.
 * @module kit/files/directory
 */
import { lstat, opendir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf } from "@tenon/internal/thrown";
import { isSafeName } from "./safe-path.js";

/** Separator between the ID and the download name in a stored file name. */
export const DELIMITER = "~";

/** Maximum number of directory entries to read. It limits the cost of a request. */
export const MAX_ENTRIES = 10_000;

/** File in a store. */
export interface StoredFile {
  readonly fileId: string;
  readonly filename: string;
  /** Size in bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** Returns a file's ID: the part before `~`, or the name without its extension. */
export function fileIdOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 ? filename.slice(0, at) : parse(filename).name;
}

/** Returns the download name: the part after `~`, or the whole name. */
export function downloadNameOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 && at < filename.length - 1 ? filename.slice(at + 1) : filename;
}

/** Cached view of a store's directory. */
export interface Directory {
  /** Returns the name of the file with this ID. Returns `undefined` if the ID is unknown or ambiguous. */
  findById(fileId: string): Promise<string | undefined>;
  /** Returns up to `max` files, sorted by name. Files with an ambiguous ID are omitted. */
  list(max: number): Promise<readonly StoredFile[]>;
}

/** File names by ID. A name is `undefined` if more than one file has the ID. */
type Index = ReadonlyMap<string, string | undefined>;

/**
 * Creates a view of a directory. The directory is read again only after it changes, and never concurrently, so that
 * many requests for unknown IDs share one read.
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
  /**
   * Returns a current index. A read in flight may miss a file that was just saved, so callers wait for the next one.
   */
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

/** Converts all items, with at most 16 conversions at a time. */
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

/** Age in milliseconds after which a directory's modification time reliably identifies its state. */
const SETTLED_MS = 2_000;

/**
 * Returns a version for the directory's state, or `undefined` if it changed too recently. File system clocks are
 * coarse, so two changes in quick succession can have the same modification time.
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

/** Reads the directory. @throws if it has too many entries, because a partial index would miss ambiguous IDs */
async function readIndex(store: string): Promise<Index> {
  const index = new Map<string, string | undefined>();
  let count = 0;
  try {
    for await (const entry of await opendir(store, { bufferSize: 1_024 })) {
      if (++count > MAX_ENTRIES) {
        throw new Error(
          `The store has too many entries (limit: ${MAX_ENTRIES}). ` +
            "Set `getAllFiles`, and return `filename` from `getMetadata`.",
        );
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
    if (isMissing(error)) return undefined; // deleted after the directory was read
    throw error;
  }
}

/** Returns true if a file system error means that the file does not exist or cannot be opened. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === "string" && ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO"].includes(code);
}
