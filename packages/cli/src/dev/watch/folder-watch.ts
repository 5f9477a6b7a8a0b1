/**
 * @fileoverview Watches the folders of files with the functions of the operating system.
 * @module cli/dev/watch/folder-watch
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { messageOf } from "@tenon/internal/thrown";
import type { Watch, Watched } from "./poll-watch.js";

/** Settings for `FolderWatch`. */
export interface FolderWatchSettings {
  /** Folder of the project. Folders in it can be deleted, moved, and created again. */
  readonly root: string;
  readonly onEvent: () => void;
  /** Called if a folder cannot be watched. */
  readonly onFailure: (reason: string) => void;
}

/** Names that count in a folder. `undefined` if every name counts. */
type Names = ReadonlySet<string> | undefined;

/** Watched folder. */
interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Differs if another folder has taken the place of the watched one. */
  readonly identity: string;
  names: Names;
}

/** Watches folders. */
export class FolderWatch implements Watch {
  readonly #settings: FolderWatchSettings;
  readonly #folders = new Map<string, WatchedFolder>();
  #isClosed = false;

  constructor(settings: FolderWatchSettings) {
    this.#settings = settings;
  }

  update(watched: Watched): boolean {
    const wanted = toFolders(watched, this.#settings.root);
    for (const [folder, { watcher, identity }] of this.#folders) {
      if (wanted.has(folder) && identityOf(folder) === identity) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    return [...wanted].map(([folder, names]) => this.#watch(folder, names)).includes(true);
  }

  close(): void {
    this.#isClosed = true;
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  /** Watches a folder. Returns true if it was not watched before. */
  #watch(folder: string, names: Names): boolean {
    const known = this.#folders.get(folder);
    if (known !== undefined) known.names = names;
    const identity = identityOf(folder);
    // The folder above a missing one is watched, and reports when it is created.
    if (known !== undefined || identity === undefined || this.#isClosed) return false;
    try {
      const watcher = watch(folder, { persistent: false });
      const watched: WatchedFolder = { watcher, identity, names };
      watcher.on("change", (_type, name) => {
        // Some systems do not report the name.
        if (name === null || watched.names?.has(String(name)) !== false) this.#settings.onEvent();
      });
      watcher.on("error", (error) => this.#fail(error));
      this.#folders.set(folder, watched);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    this.#settings.onFailure(messageOf(error) ?? "unknown error");
  }
}

/** Returns the folders to watch: those of the files, and those above them, up to the folder of the project. */
function toFolders({ files, folders }: Watched, root: string): ReadonlyMap<string, Names> {
  const found = new Map<string, Set<string>>();
  const add = (path: string) => {
    const folder = dirname(path);
    const names = found.get(folder);
    if (names !== undefined) names.add(basename(path));
    else found.set(folder, new Set([basename(path)]));
    if (names === undefined && isInside(folder, root)) add(folder);
  };
  for (const file of files) add(file);
  for (const folder of folders) if (isInside(folder, root)) add(folder);
  return new Map<string, Names>([...found, ...[...folders].map((folder) => [folder, undefined] as const)]);
}

function isInside(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path !== "" && !isAbsolute(path) && path.split(sep)[0] !== "..";
}

function identityOf(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found?.isDirectory() === true ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : undefined;
}
