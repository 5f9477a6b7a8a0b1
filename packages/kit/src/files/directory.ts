/**
 * @fileoverview Lists the files of a store's directory and finds a file by its ID.
 * @module kit/files/directory
 */
import { lstat, opendir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { isSafeName } from "./safe-path.js";

/** Separator between the ID and the download name in a stored file name. */
export const DELIMITER = "~";

/** Maximum number of directory entries to read, so that the cost of a request is bounded. */
export const MAX_ENTRIES = 10_000;

/** File of the store. */
export interface StoredFile {
  readonly fileId: string;
  readonly filename: string;
  readonly size: number;
  readonly modified: Date;
}

/** Returns the ID of a file: the part before `~`, or the name without its last extension. */
export function fileIdOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 ? filename.slice(0, at) : parse(filename).name;
}

/** Returns the download name: the file name without the ID. */
export function downloadNameOf(filename: string): string {
  const at = filename.indexOf(DELIMITER);
  return at > 0 && at < filename.length - 1 ? filename.slice(at + 1) : filename;
}

/** Files of a store's directory. */
export interface Directory {
  /** Returns the file with this ID. Returns `undefined` if two files share the ID, because the ID is ambiguous. */
  findById(fileId: string): Promise<string | undefined>;
  /** Returns at most `max` files that can be found by ID, sorted by name. */
  list(max: number): Promise<readonly StoredFile[]>;
}

/** File names by ID; `undefined` if two files share one ID. */
type Index = ReadonlyMap<string, string | undefined>;

/**
 * Creates a view of a directory. The directory is read again only when it has changed, and never concurrently:
 * requests for unknown IDs cost one read at a time, regardless of their number.
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
   * A read in flight may have missed a file that the caller has just saved, so the caller waits for the next read.
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

/** Like `Promise.all` over `map`, with limited concurrency. */
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

/** Age in milliseconds after which a directory's modification time identifies its state. */
const SETTLED_MS = 2_000;

/**
 * Returns a version of the directory's state, if there is a reliable one. File system clocks are coarse: two changes
 * in quick succession can have the same modification time.
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

/** Reads the directory. @throws if it has too many entries, because a partial index would give wrong results */
async function readIndex(store: string): Promise<Index> {
  const index = new Map<string, string | undefined>();
  let count = 0;
  try {
    for await (const entry of await opendir(store, { bufferSize: 1_024 })) {
      if (++count > MAX_ENTRIES) {
        throw new Error(
          `The store has more than ${MAX_ENTRIES} entries. Provide \`getMetadata\` and \`getAllFiles\`.`,
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
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO"].includes(code);
}
