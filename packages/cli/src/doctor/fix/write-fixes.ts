/**
 * @fileoverview Writes planned changes to files. A file is replaced in one step, and its old content is kept in a backup
 * beside it.
 * @module cli/doctor/fix/write-fixes
 */
import { constants, copyFile, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import { codeOf } from "@tenon/internal/thrown";
import type { OwnFile } from "./own-files.js";
import type { Fix } from "./plan-fixes.js";

/** File that was changed, and its backup. */
export interface WrittenFile {
  readonly path: string;
  readonly backup: string;
}

/**
 * Writes the changes of all files.
 *
 * @throws {CliError} if a file has changed since it was read, or if a backup exists already
 */
export async function writeFixes(fixes: readonly Fix[]): Promise<readonly WrittenFile[]> {
  const files = [...new Set(fixes.map(({ file }) => file))];
  const written: WrittenFile[] = [];
  for (const file of files) {
    const own = fixes.filter((fix) => fix.file === file);
    const backup = await keepBackup(file);
    await replaceFile(file.path, applyFixes(file.text, own));
    written.push({ path: file.path, backup });
  }
  return written;
}

/** Returns a file's text with its changes. */
export function applyFixes(text: string, fixes: readonly Fix[]): string {
  return fixes
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, code }) => changed.slice(0, start) + code + changed.slice(end), text);
}

async function keepBackup({ path, text }: OwnFile): Promise<string> {
  if ((await readFile(path, "utf8")) !== text) {
    throw cliError(`"${path}" has changed since it was read. Run the command again.`);
  }
  const backup = `${path}.bak`;
  await copyFile(path, backup, constants.COPYFILE_EXCL).catch((error: unknown) => {
    if (codeOf(error) === "EEXIST") {
      throw cliError(
        `"${backup}" exists already. Check the earlier changes, remove it, and run the command again.`,
      );
    }
    throw error;
  });
  return backup;
}

/** Replaces a file in one step, so that a failure never leaves a part of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  const folder = await mkdtemp(join(dirname(path), ".tenon-doctor-"));
  try {
    const draft = join(folder, basename(path));
    await writeFile(draft, text, { mode });
    await rename(draft, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
