/**
 * @fileoverview Decides where a bundle's files are written, and writes them only when all of them are complete.
 * @module cli/bundle/outputs
 */
import { createHash } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { fileReasonOf } from "@tenon/internal/files/file-error";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { oneLine } from "@tenon/internal/text";

/** Formats that a bundle can have. */
export type BundleFormat = "esm" | "mcpb";

/** Formats and destination that the flags select. */
export interface OutputPlan {
  readonly formats: readonly BundleFormat[];
  /** Absolute path of a folder, or of a file if `isFile` is true. */
  readonly path: string;
  readonly isFile: boolean;
}

/** File that has been written. */
export interface WrittenFile {
  readonly format: BundleFormat;
  /** Path relative to the current folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Values of `--out` and `--format`. */
export interface OutputFlags {
  readonly out: string | undefined;
  readonly format: string | undefined;
}

/** Parses `--out` and `--format`. A file name in `--out` selects the format. @throws {CliError} if they contradict */
export async function parseOutput({ out = "dist", format }: OutputFlags, cwd: string): Promise<OutputPlan> {
  const path = resolve(cwd, out);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  const byName = isFolder
    ? undefined
    : /\.mcpb$/i.test(out)
      ? "mcpb"
      : /\.m?js$/i.test(out)
        ? "esm"
        : undefined;
  if (byName === undefined) return { formats: formatsOf(format ?? "both"), path, isFile: false };
  if (/\.js$/i.test(out) && !/\.mjs$/i.test(out))
    throw usageError(
      `--out must end with .mjs, because Node.js may take a .js file for CommonJS; got "${out}".`,
    );
  if (format !== undefined && format !== byName)
    throw usageError(`--out "${out}" is a file of the format ${byName}, but --format is ${format}.`);
  return { formats: [byName], path, isFile: true };
}

/** Files to write. */
export interface OutputContents extends Readonly<Record<BundleFormat, Uint8Array | undefined>> {
  /** Name of the files without their ending. */
  readonly name: string;
  /** Paths of the files that the contents were made from. They are never replaced. */
  readonly sources: readonly string[];
}

/** Writes files. Either all of them are replaced, or none. @throws {CliError} if one would replace a source */
export async function writeOutputs(
  plan: OutputPlan,
  contents: OutputContents,
): Promise<readonly WrittenFile[]> {
  const files = plan.formats.flatMap((format) => {
    const content = contents[format];
    return content === undefined ? [] : [{ format, path: pathOf(plan, contents.name, format), content }];
  });
  for (const { path } of files) await assertNoSource(path, contents.sources);
  const partial = (path: string) => `${path}.partial`;
  try {
    for (const { format, path, content } of files)
      await orOutputError(path, async () => {
        await makeFolder(dirname(path));
        await writeFile(partial(path), content, { mode: format === "esm" ? 0o755 : 0o644 });
      });
    for (const { path } of files) await orOutputError(path, () => rename(partial(path), path));
  } finally {
    // Ignore failures, because they would hide the reason: a read-only file system allows no deletion either.
    for (const { path } of files) await rm(partial(path), { force: true }).catch(() => undefined);
  }
  return files.map(({ format, path, content }) => ({
    format,
    path,
    bytes: content.length,
    sha256: sha256Of(content),
  }));
}

/** Writes a file. @throws {CliError} with the path and the reason if that fails */
async function orOutputError(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const reason = fileReasonOf(error);
    throw reason === undefined ? error : cliError(`Could not write "${oneLine(path, 500)}": ${reason}.`);
  }
}

/** Returns paths relative to the current folder. */
export function toRelative(files: readonly WrittenFile[], cwd: string): readonly WrittenFile[] {
  return files.map((file) => ({ ...file, path: relative(cwd, file.path) || file.path }));
}

/** Returns the SHA-256 hash of a file's content, in hexadecimal. */
export function sha256Of(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function pathOf(plan: OutputPlan, name: string, format: BundleFormat): string {
  return plan.isFile ? plan.path : join(plan.path, `${name}.${format === "esm" ? "mjs" : "mcpb"}`);
}

/**
 * Asserts that a file to write is not one of the sources. Files are compared by their identity, because the same file
 * can have several paths: links, or names in another case.
 *
 * @throws {CliError}
 */
export async function assertNoSource(path: string, sources: readonly string[]): Promise<void> {
  const identity = await identityOf(path);
  if (identity === undefined) return;
  for (const source of sources) {
    if ((await identityOf(source)) !== identity) continue;
    throw usageError(
      `"${oneLine(path, 500)}" is a source of the bundle, so it cannot be replaced by the bundle. ` +
        "Choose another file or folder with --out, or another name with --name.",
    );
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function formatsOf(format: string): readonly BundleFormat[] {
  return format === "esm" ? ["esm"] : format === "mcpb" ? ["mcpb"] : ["esm", "mcpb"];
}
