/**
 * @fileoverview Watches the user's files. The operating system reports changes in their folders, because most editors
 * replace a file instead of changing it. Where that does not work, the files are polled.
 * @module cli/dev/watch/watcher
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ChangeBatch } from "./change-batch.js";
import { FolderWatch } from "./folder-watch.js";
import { PollWatch } from "./poll-watch.js";
import type { Watch, Watched } from "./watch.js";

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
