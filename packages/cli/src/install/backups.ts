/**
 * @fileoverview Backups beside a configuration file. An existing backup is never overwritten.
 * @module cli/install/backups
 */
import { open, readdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import type { ConfigFile } from "./types.js";

/** Writes a file's content to a new file beside it, which only its owner can read. Returns the path. */
export async function writeBackup(file: ConfigFile, now: number): Promise<string> {
  for (let number = 1; number <= MAX_SAME_TIME; number++) {
    const path = `${file.path}.${stampOf(now)}${number === 1 ? "" : `-${number}`}.bak`;
    const handle = await open(path, "wx", 0o600).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
      throw error;
    });
    if (handle === undefined) continue;
    try {
      await handle.writeFile((file.hasByteOrderMark ? "\ufeff" : "") + file.text);
      await handle.sync();
      return path;
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }
  throw cliError(`Could not create a backup of "${file.path}": too many backups from the same second.`);
}

/** Maximum number of backups from the same second. */
const MAX_SAME_TIME = 100;

/** Lists the newest backups of a file, the newest one first. */
export async function listBackups(path: string): Promise<readonly string[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => name.startsWith(prefix) && STAMP.test(name.slice(prefix.length)))
    .toSorted((a, b) => (a < b ? 1 : -1))
    .slice(0, MAX_LISTED)
    .map((name) => join(dirname(path), name));
}

/** Number of backups that are compared with a file. */
const MAX_LISTED = 50;
const STAMP = /^\d{8}T\d{6}Z(?:-\d+)?\.bak$/;

/** Formats a time in UTC for a file name: `20300102T030405Z`. */
function stampOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, "2030-01-02T03:04:05".length).replace(/[-:]/g, "")}Z`;
}
