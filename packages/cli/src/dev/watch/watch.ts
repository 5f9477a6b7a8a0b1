/**
 * @fileoverview Interface for watching files.
 * @module cli/dev/watch/watch
 */

/** Files and folders to watch. */
export interface Watched {
  /** Absolute paths. They do not have to exist. */
  readonly files: ReadonlySet<string>;
  /** Folders in which every change counts, because a missing file may appear in them. */
  readonly folders: ReadonlySet<string>;
}

/** Reports changes of watched files. */
export interface Watch {
  /**
   * Replaces the files and folders to watch. Returns true if something was not watched before, so that it may have
   * changed unnoticed since it was read.
   */
  update(watched: Watched): boolean;
  /** Stops watching. */
  close(): void;
}
