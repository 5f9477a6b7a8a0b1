/**
 * @fileoverview The file that `tenon dev` serves, and files and folders above it.
 * @module cli/dev/build/entry
 */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { assertFile, findModule } from "../../load/split-target.js";

/** File to serve. */
export interface Entry {
  /** File as the user typed it, without the export. */
  readonly file: string;
  /** Absolute path, without symbolic links. */
  readonly path: string;
  readonly exportName: string | undefined;
}

/** Finds the file that `file.ts` or `file.ts:export` selects. @throws {CliError} if there is none */
export async function findEntry(argument: string, cwd: string): Promise<Entry> {
  const module = await findModule(argument, cwd);
  await assertFile(module);
  return { file: module.file, path: realpathSync(module.path), exportName: module.wanted };
}

/** Returns the path of the nearest file or folder with a name, in a folder or above it. */
export function findAbove(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const above = resolve(folder, "..");
  return above === folder ? undefined : findAbove(above, name);
}
