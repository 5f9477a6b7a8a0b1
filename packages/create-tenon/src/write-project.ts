/**
 * @fileoverview Writes a new project atomically: writes its files to a temporary folder and then moves them.
 * @module create-tenon/write-project
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import { cliError, interrupted, usageError } from "@tenon/internal/command-line/command";
import type { Choices, Settings } from "./choices.js";
import { fillEnvFile } from "./env-file.js";
import { toWorkerName } from "./package-name.js";

/** A project to write. */
export interface ProjectPlan {
  /** Template folder. */
  readonly template: string;
  /** Folder to create. If it exists, it must be empty. */
  readonly folder: string;
  readonly choices: Choices;
  /** Version range for Tenon's packages, such as `^1.0.0`. */
  readonly tenon: string;
  readonly signal: AbortSignal;
}

/** Name in the template's files that is replaced by the project's name. */
const PLACEHOLDER = "my-mcp-server";
/** Names that get a leading dot in the project. npm does not pack the dotted names, so the template omits the dot. */
const DOTTED = new Set(["gitignore", "npmrc", "npmignore"]);
const MAX_FILES = 2_000;

/** Writes the project and returns its number of files. On failure, removes all written files. @throws {CliError} */
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

/** Asserts that a folder does not exist or is empty. @throws {CliError} */
export async function assertFolderIsFree(folder: string): Promise<void> {
  const found = await findEntry(folder);
  if (found === undefined) return;
  if (!found.isDirectory())
    throw usageError(`${folder} exists and is not a folder. Choose a different name.`);
  if ((await readdir(folder)).length > 0)
    throw usageError(`${folder} is not empty. Choose a different folder.`);
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
  if (choices.settings === undefined) return files.length;
  const example = await readFile(join(stage, ".env.example"), "utf8").catch(() => "");
  const filled = fillEnvFile(example, toVariables(choices.name, choices.settings));
  // Only the user can read the file, because it may contain a secret.
  await writeFile(join(stage, ".env"), filled, { flag: "wx", mode: 0o600 });
  return files.length + 1;
}

/** Lists the template's files as relative paths. Skips symbolic links, because they may point outside the template. */
async function listFiles(template: string): Promise<readonly string[]> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .filter(
      (path) =>
        !/(^|[/\\])(node_modules|dist|coverage|logs|\.git|\.wrangler)[/\\]/.test(path) &&
        basename(path) !== ".env",
    );
  if (!files.includes("package.json"))
    throw cliError(
      `Template ${template} does not contain a package.json. Pass a folder that contains a template.`,
    );
  if (files.length > MAX_FILES)
    throw cliError(
      `Template ${template} contains too many files (limit: ${MAX_FILES}). ` +
        "Remove generated files from it, or pass a different folder.",
    );
  return files.toSorted();
}

function targetName(name: string): string {
  return DOTTED.has(name) ? `.${name}` : name;
}

/** Inserts the project's name into a text file. Returns binary files unchanged. */
function adapt(path: string, content: Uint8Array, { choices, tenon }: ProjectPlan): string | Uint8Array {
  const text = decodeUtf8(content);
  if (text === undefined) return content;
  const name = path === "wrangler.jsonc" ? toWorkerName(choices.name) : choices.name;
  const named = text.replaceAll(PLACEHOLDER, name);
  return path === "package.json" ? setTenonVersion(named, tenon) : named;
}

/** Sets the version of every `tenon` and `@tenon/*` dependency in a package.json. */
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
    // Reported below, like JSON that is not an object.
  }
  throw cliError("The template's package.json must contain a JSON object.");
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

function toVariables(name: string, { transport, auth }: Settings): Readonly<Record<string, string>> {
  return {
    MCP_SERVER_NAME: name,
    MCP_TRANSPORT_TYPE: transport,
    MCP_AUTH_MODE: auth,
    ...(auth === "jwt" ? { MCP_AUTH_SECRET_KEY: randomBytes(48).toString("base64url") } : {}),
  };
}

/** Moves all files from the stage into an existing folder. If a move fails, the moved files are removed. */
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

/** Removes the parent folders that were created for the project, unless they contain files. */
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
  const { code, path } = error as NodeJS.ErrnoException; // Safe: file operations always reject with this type
  throw cliError(
    `Could not write the project${path === undefined ? "" : ` to ${path}`} (${code ?? "unknown reason"}). ` +
      "Check the folder's permissions and free space.",
  );
}
