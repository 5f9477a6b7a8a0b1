/**
 * @fileoverview Decides where a bundle's files are written, and writes them only when all of them are complete.
 * @module cli/bundle/outputs
 */
import { createHash } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";

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

/** Writes files. Either all of them are replaced, or none. */
export async function writeOutputs(
  plan: OutputPlan,
  name: string,
  contents: Readonly<Record<BundleFormat, Uint8Array | undefined>>,
): Promise<readonly WrittenFile[]> {
  const files = plan.formats.flatMap((format) => {
    const content = contents[format];
    const path = plan.isFile ? plan.path : join(plan.path, `${name}.${format === "esm" ? "mjs" : "mcpb"}`);
    return content === undefined ? [] : [{ format, path, content }];
  });
  const partial = (path: string) => `${path}.partial`;
  try {
    for (const { format, path, content } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(partial(path), content, { mode: format === "esm" ? 0o755 : 0o644 });
    }
    for (const { path } of files) await rename(partial(path), path);
  } finally {
    for (const { path } of files) await rm(partial(path), { force: true });
  }
  return files.map(({ format, path, content }) => ({
    format,
    path,
    bytes: content.length,
    sha256: sha256Of(content),
  }));
}

/** Returns paths relative to the current folder. */
export function toRelative(files: readonly WrittenFile[], cwd: string): readonly WrittenFile[] {
  return files.map((file) => ({ ...file, path: relative(cwd, file.path) || file.path }));
}

/** Returns the SHA-256 hash of a file's content, in hexadecimal. */
export function sha256Of(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function formatsOf(format: string): readonly BundleFormat[] {
  return format === "esm" ? ["esm"] : format === "mcpb" ? ["mcpb"] : ["esm", "mcpb"];
}
