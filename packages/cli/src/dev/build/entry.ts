/**
 * @fileoverview The file that `tenon dev` serves, and files and folders above it.
 * @module cli/dev/build/entry
 */
import { existsSync, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { usageError } from "@tenon/internal/command-line/command";
import { findModule } from "../../bundle/project/module-target.js";

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
  const { file, path, wanted } = await findModule(argument, cwd);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return { file, path: realpathSync(path), exportName: wanted };
  if (found !== undefined) throw usageError(`"${file}" is not a file. Pass a module such as src/server.ts.`);
  const siblings = await readdir(dirname(path)).catch((): string[] => []);
  throw usageError(`File "${file}" not found${suggestion(basename(path), siblings)}`);
}

/** Returns the path of the nearest file or folder with a name, in a folder or above it. */
export function findAbove(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const above = resolve(folder, "..");
  return above === folder ? undefined : findAbove(above, name);
}
