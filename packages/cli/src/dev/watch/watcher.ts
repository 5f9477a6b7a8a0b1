/**
 * @fileoverview Watches the user's files. The operating system reports changes in their folders, because most editors
 * replace a file instead of changing it. Where that does not work, the files are polled.
 * @module cli/dev/watch/watcher
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { FolderWatch } from "./folder-watch.js";
import { PollWatch, type Watch, type Watched } from "./poll-watch.js";

/** Settings for `createWatcher`. */
export interface WatcherSettings {
  /** Folder of the project. */
  readonly root: string;
  /** True to poll the files from the start. */
  readonly isPolling: boolean;
  /** Called once for changes that follow each other closely, with the time of the first one in milliseconds. */
  readonly onChange: (since: number) => void;
  /** Called if the operating system does not report changes, with the reason. */
  readonly onFallback: (reason: string) => void;
}

/** Creates a watcher. It does not keep the process running. */
export function createWatcher({ root, isPolling, onChange, onFallback }: WatcherSettings): Watch {
  const batch = new ChangeBatch(onChange);
  const onEvent = () => batch.add();
  let last: Watched = { files: new Set(), folders: new Set() };
  let isClosed = false;
  const fallBack = (reason: string) => {
    if (isClosed || !(watch instanceof FolderWatch)) return;
    watch.close();
    watch = new PollWatch(onEvent);
    watch.update(last);
    onFallback(reason);
  };
  let watch: Watch = isPolling
    ? new PollWatch(onEvent)
    : new FolderWatch({ root, onEvent, onFailure: fallBack });
  return {
    update({ files, folders }) {
      last = { files, folders: new Set([...folders].map(nearestFolder)) };
      const used = watch;
      const isNew = used.update(last);
      // A failure replaces the watch, and everything is new to the next one.
      return isNew || used !== watch;
    },
    close() {
      isClosed = true;
      batch.cancel();
      watch.close();
    },
  };
}

/** Returns the folder, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(folder) ? folder : nearestFolder(above);
}

/** Time in milliseconds without a change after which a batch ends, and the maximum duration of a batch. */
const QUIET_MS = 10;
const MAX_MS = 100;

/** Collects changes. */
class ChangeBatch {
  readonly #onBatch: (since: number) => void;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onBatch called when a batch ends, with the time of its first change on the clock of `performance` */
  constructor(onBatch: (since: number) => void) {
    this.#onBatch = onBatch;
  }

  /** Adds a change. */
  add(): void {
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const left = this.#since + MAX_MS - now;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, Math.min(QUIET_MS, left)));
  }

  /** Drops the changes so far. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#since = undefined;
  }

  #end(): void {
    const since = this.#since;
    this.#since = undefined;
    if (since !== undefined) this.#onBatch(since);
  }
}
