/**
 * @fileoverview Reads the `package.json` of the project that a module belongs to.
 * @module cli/bundle/project/project-package
 */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { cliError } from "@tenon/internal/command-line/command";

/** A project's `package.json`. */
export interface ProjectPackage {
  /** Absolute path of the folder that contains the file. */
  readonly folder: string;
  /** Path of the file relative to the current folder, for messages. */
  readonly file: string;
  /** Content of the file. */
  readonly text: string;
  /** Members of the file. */
  readonly members: JsonObject;
}

/** Reads the nearest `package.json` in `folder` or above it. @throws {CliError} if there is none, or it is not valid */
export async function readProjectPackage(folder: string, cwd: string): Promise<ProjectPackage> {
  const found = await findProjectPackage(folder, cwd);
  if (found !== undefined) return found;
  const shown = relative(cwd, folder) || ".";
  throw cliError(`No package.json found in "${shown}" or the folders above it. Create one: npm init`);
}

/** Reads the nearest `package.json`. Returns `undefined` if there is none. @throws {CliError} if it is not valid */
export async function findProjectPackage(folder: string, cwd: string): Promise<ProjectPackage | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "package.json");
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return parsePackage(path, found.size, cwd);
    if (dirname(at) === at) return undefined;
  }
}

/** Returns the package's name without its scope, such as `weather` for `@acme/weather`. */
export function unscopedName({ members }: ProjectPackage): string | undefined {
  const { name } = members;
  return typeof name === "string" && name !== "" ? name.replace(/^@[^/]*\//, "") : undefined;
}

const MAX_BYTES = 1_048_576;

async function parsePackage(path: string, size: number, cwd: string): Promise<ProjectPackage> {
  const file = relative(cwd, path) || path;
  if (size > MAX_BYTES) throw cliError(`"${file}" is too large (limit: ${MAX_BYTES} bytes).`);
  const text = await readFile(path, "utf8");
  const members = readJson(text.replace(/^\uFEFF/, ""));
  if (!isJsonObject(members)) throw cliError(`"${file}" does not contain a valid JSON object.`);
  return { folder: dirname(path), file, text, members };
}
