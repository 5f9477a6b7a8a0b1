/**
 * @fileoverview Watches files by reading their times and sizes at intervals, for file systems that do not report changes,
 * such as some network drives and containers.
 * @module cli/dev/watch/poll-watch
 */
import { type BigIntStats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

/** Time in milliseconds between two rounds. */
const INTERVAL_MS = 200;

/** State of a path that does not exist. */
const MISSING = "missing";

/** Polls files and folders. */
export class PollWatch implements Watch {
  readonly #onEvent: () => void;
  #paths: readonly string[] = [];
  #states = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
    this.#schedule();
  }

  update({ files, folders }: Watched): boolean {
    this.#paths = [...files, ...folders];
    // Recorded now, so that a change before the next round is noticed.
    const added = this.#paths.filter((path) => !this.#states.has(path));
    for (const path of added)
      this.#states.set(path, describe(statSync(path, { bigint: true, throwIfNoEntry: false })));
    return added.length > 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#poll(), INTERVAL_MS).unref();
  }

  /** Compares each path with its state in the last round. */
  async #poll(): Promise<void> {
    const paths = this.#paths;
    const states = new Map<string, string>();
    await Promise.all(paths.map(async (path) => states.set(path, await stateOf(path))));
    const hasChanged = [...states].some(([path, state]) => this.#states.get(path) !== state);
    // Paths that were added during this round keep the state that was recorded for them.
    const added = this.#paths.filter((path) => !states.has(path));
    this.#states = new Map([
      ...states,
      ...added.map((path) => [path, this.#states.get(path) ?? MISSING] as const),
    ]);
    if (hasChanged && !this.#isClosed) this.#onEvent();
    this.#schedule();
  }
}

async function stateOf(path: string): Promise<string> {
  return describe(await stat(path, { bigint: true }).catch(() => undefined));
}

/** Describes the state of a path. A file that is replaced gets a different inode. */
function describe(found: BigIntStats | undefined): string {
  return found === undefined ? MISSING : `${found.mtimeNs} ${found.size} ${found.ino}`;
}

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
