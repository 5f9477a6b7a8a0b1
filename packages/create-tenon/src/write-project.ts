/**
 * @fileoverview Writes a new project atomically: its files are written next to the target and moved when complete.
 * @module create-tenon/write-project
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import { cliError, interrupted, usageError } from "@tenon/internal/command-line/command";
import type { Choices } from "./choices.js";
import { fillEnvFile } from "./env-file.js";

/** A project to write. */
export interface ProjectPlan {
  /** Folder of the template. */
  readonly template: string;
  /** Folder to create. An existing folder must be empty. */
  readonly folder: string;
  readonly choices: Choices;
  /** Version range of Tenon's packages, such as `^1.0.0`. */
  readonly tenon: string;
  readonly signal: AbortSignal;
}

/** Name in the template that the project's name replaces. */
const PLACEHOLDER = "my-mcp-server";
/** npm does not pack files with these names and a leading dot, so the template has them without the dot. */
const DOTTED = new Set(["gitignore", "npmrc", "npmignore"]);
const MAX_FILES = 2_000;

/** Writes the project and returns the number of its files. @throws CliError, after removing what was written */
export async function writeProject(plan: ProjectPlan): Promise<number> {
  const { folder, signal } = plan;
  await assertFolderIsFree(folder);
  const exists = (await findEntry(folder)) !== undefined;
  const mark = `.tenon-${randomBytes(6).toString("hex")}`;
  const parent = exists ? folder : dirname(folder);
  const firstMade = await mkdir(parent, { recursive: true }).catch(explain);
  const stage = join(parent, exists ? mark : `${mark}-${basename(folder)}`);
  try {
    await mkdir(stage).catch(explain);
    const count = await fillStage(plan, stage);
    if (signal.aborted) throw interrupted();
    if (exists) await moveInto(stage, folder);
    else await rename(stage, folder).catch(explain);
    return count;
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    if (firstMade !== undefined) await removeEmpty(parent, firstMade);
    throw error;
  }
}

/** Asserts that a folder does not exist or is empty. @throws CliError */
export async function assertFolderIsFree(folder: string): Promise<void> {
  const found = await findEntry(folder);
  if (found === undefined) return;
  if (!found.isDirectory()) throw usageError(`${folder} exists and is not a folder. Choose another name.`);
  if ((await readdir(folder)).length > 0) throw usageError(`${folder} is not empty. Choose another folder.`);
}

function findEntry(path: string) {
  return lstat(path).catch(() => undefined);
}

async function fillStage(plan: ProjectPlan, stage: string): Promise<number> {
  const { template, choices, signal } = plan;
  const files = await listFiles(template);
  for (const file of files) {
    if (signal.aborted) throw interrupted();
    const target = join(stage, dirname(file), targetName(basename(file)));
    const content = await readFile(join(template, file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, adapt(file, content, plan), { flag: "wx" });
    const { mode } = await lstat(join(template, file));
    if ((mode & 0o100) !== 0) await chmod(target, 0o755);
  }
  const example = await readFile(join(stage, ".env.example"), "utf8").catch(() => "");
  // The file is readable by the user only, because it may contain a secret.
  await writeFile(join(stage, ".env"), fillEnvFile(example, settings(choices)), { flag: "wx", mode: 0o600 });
  return files.length + 1;
}

/** Lists the files of the template, relative to it. Symbolic links are skipped: they may point outside. */
async function listFiles(template: string): Promise<readonly string[]> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .filter(
      (path) =>
        !/(^|[/\\])(node_modules|dist|coverage|logs|\.git)[/\\]/.test(path) && basename(path) !== ".env",
    );
  if (!files.includes("package.json"))
    throw cliError(`${template} is not a template: it has no package.json.`);
  if (files.length > MAX_FILES)
    throw cliError(`${template} is not a template: it has more than ${MAX_FILES} files.`);
  return files.toSorted();
}

function targetName(name: string): string {
  return DOTTED.has(name) ? `.${name}` : name;
}

/** Inserts the project's name into a text file. Other files are returned unchanged. */
function adapt(path: string, content: Uint8Array, { choices, tenon }: ProjectPlan): string | Uint8Array {
  const text = decodeUtf8(content);
  if (text === undefined) return content;
  const named = text.replaceAll(PLACEHOLDER, choices.name);
  return path === "package.json" ? setTenonVersion(named, tenon) : named;
}

/** Sets the version of `tenon` and of every `@tenon/*` package that the project depends on. */
function setTenonVersion(manifest: string, version: string): string {
  const parsed = parseManifest(manifest);
  const setVersions = (dependencies: unknown) =>
    isJsonObject(dependencies)
      ? Object.fromEntries(
          Object.entries(dependencies).map(([name, spec]) => [name, isTenonPackage(name) ? version : spec]),
        )
      : dependencies;
  const entries = Object.entries(parsed).map(([key, value]) => [
    key,
    DEPENDENCY_FIELDS.has(key) ? setVersions(value) : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function parseManifest(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Reported below, together with JSON of another type.
  }
  throw cliError("The template cannot be used: its package.json is not a JSON object.");
}

const DEPENDENCY_FIELDS = new Set([
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
]);

function isTenonPackage(name: string): boolean {
  return name === "tenon" || name.startsWith("@tenon/");
}

function settings({ name, transport, auth }: Choices): Readonly<Record<string, string>> {
  return {
    MCP_SERVER_NAME: name,
    MCP_TRANSPORT_TYPE: transport,
    MCP_AUTH_MODE: auth,
    ...(auth === "jwt" ? { MCP_AUTH_SECRET_KEY: randomBytes(48).toString("base64url") } : {}),
  };
}

/** Moves all files from the stage into an existing folder. If a move fails, the earlier moves are undone. */
async function moveInto(stage: string, folder: string): Promise<void> {
  const moved: string[] = [];
  try {
    for (const name of await readdir(stage)) {
      await rename(join(stage, name), join(folder, name));
      moved.push(name);
    }
    await rmdir(stage);
  } catch (error) {
    for (const name of moved) await rm(join(folder, name), { recursive: true, force: true });
    explain(error);
  }
}

/** Removes the parent folders that were created for the project, if they are empty. */
async function removeEmpty(from: string, upTo: string): Promise<void> {
  for (let folder = from; folder.startsWith(upTo); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

function explain(error: unknown): never {
  const { code, path } = error as NodeJS.ErrnoException; // file operations always reject with this type
  throw cliError(
    `The project cannot be written${path === undefined ? "" : ` to ${path}`}: ${code ?? "unknown reason"}.`,
  );
}
