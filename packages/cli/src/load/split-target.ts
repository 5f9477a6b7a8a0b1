/**
 * @fileoverview Finds the file and the export that a command-line argument such as `server.ts:app` selects.
 * @module cli/load/split-target
 */
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";

/** File and export that an argument selects. */
export interface SplitTarget {
  readonly file: string;
  /** Name of the export. */
  readonly exportName: string;
}

/**
 * Splits `file:export`. Returns `undefined` for an argument without an export. Check first if a file with the whole name
 * exists, so that names with a colon still work.
 */
export function splitTarget(target: string): SplitTarget | undefined {
  const [, file, exportName] = /^(..+):([\p{ID_Start}_$][\p{ID_Continue}$]*)$/u.exec(target) ?? [];
  return file === undefined || exportName === undefined ? undefined : { file, exportName };
}

/** Module that a command-line argument selects. */
export interface ModuleTarget {
  /** File as the user typed it, without the export. */
  readonly file: string;
  readonly path: string;
  /** Name of the export. `undefined` selects the default. */
  readonly wanted: string | undefined;
}

/** Finds the file and the export that an argument such as `server.ts:app` selects. */
export async function findModule(argument: string, cwd: string): Promise<ModuleTarget> {
  if (/^https?:/i.test(argument)) throw usageError("The argument must be a file, not a URL.");
  const split = splitTarget(argument);
  const whole = resolve(cwd, argument);
  // A file whose whole name exists wins, so that names with a colon still work.
  if (split === undefined || (await stat(whole).catch(() => undefined))?.isFile() === true)
    return { file: argument, path: whole, wanted: undefined };
  const { file, exportName: wanted } = split;
  return { file, path: resolve(cwd, file), wanted };
}

/** Checks that the file of a module exists. @throws {CliError} otherwise */
export async function assertFile({ file, path }: ModuleTarget): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true && extname(path) !== ".json") return;
  if (found !== undefined) {
    const noun = found.isFile() ? "module" : "file";
    throw usageError(`"${file}" is not a ${noun}. Pass a module such as src/server.ts.`);
  }
  const siblings = await readdir(dirname(path)).catch((): string[] => []);
  throw usageError(`File "${file}" not found${suggestion(basename(path), siblings)}`);
}

/** Finds the entry point of a package that is installed in a folder or above it. */
export function resolveFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
