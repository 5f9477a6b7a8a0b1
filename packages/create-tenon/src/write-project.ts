/**
 * @fileoverview Writes a new project: all of it, or nothing. It is made beside its place and moved there when it is whole.
 * @module create-tenon/write-project
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isJsonObject } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import { cliError, interrupted, usageError } from "@tenon/internal/command-line/command";
import type { Choices } from "./choices.js";
import { fillEnvFile } from "./env-file.js";

/** A project to write. */
export interface ProjectPlan {
  /** The folder of the template. */
  readonly template: string;
  /** The folder to create; it may exist, if nothing is in it. */
  readonly folder: string;
  readonly choices: Choices;
  /** Version range of Tenon's packages, such as `^1.0.0`. */
  readonly tenon: string;
  readonly signal: AbortSignal;
}

/** The name that stands in the template for the project's. */
const PLACEHOLDER = "my-mcp-server";
/** npm leaves files of these names out of packages, so that the template has them without their dot. */
const DOTTED = new Set(["gitignore", "npmrc", "npmignore"]);
const MAX_FILES = 2_000;

/** Writes the project; gives the number of its files. @throws CliError, and then nothing is left behind */
export async function writeProject(plan: ProjectPlan): Promise<number> {
  const { folder, signal } = plan;
  const exists = await checkFolder(folder);
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

/** Whether the folder is there already. @throws CliError where something is in its place */
export async function checkFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return false;
  if (!found.isDirectory()) throw usageError(`${folder} is there already, and is not a folder`);
  if ((await readdir(folder)).length > 0) throw usageError(`${folder} is not empty: choose another folder`);
  return true;
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
  // It may hold a secret: nobody else on this machine reads it.
  await writeFile(join(stage, ".env"), fillEnvFile(example, settings(choices)), { flag: "wx", mode: 0o600 });
  return files.length + 1;
}

/** Every file of the template, by its path in it. Links are left out: they may lead anywhere. */
async function listFiles(template: string): Promise<readonly string[]> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .filter(
      (path) =>
        !/(^|[/\\])(node_modules|dist|coverage|logs|\.git)[/\\]/.test(path) && basename(path) !== ".env",
    );
  if (!files.includes("package.json")) throw cliError("The template is not complete: it has no package.json");
  if (files.length > MAX_FILES) throw cliError(`The template has more than ${MAX_FILES} files`);
  return files.toSorted();
}

function targetName(name: string): string {
  return DOTTED.has(name) ? `.${name}` : name;
}

/** A file as the project has it: under its own name; what is no text stays as it is. */
function adapt(path: string, content: Uint8Array, { choices, tenon }: ProjectPlan): string | Uint8Array {
  const text = decodeUtf8(content);
  if (text === undefined) return content;
  const named = text.replaceAll(PLACEHOLDER, choices.name);
  return path === "package.json" ? setTenonVersion(named, tenon) : named;
}

/** Sets the version of `tenon` and of every `@tenon/*` package. */
function setTenonVersion(manifest: string, version: string): string {
  const parsed: unknown = JSON.parse(manifest);
  if (!isJsonObject(parsed))
    throw cliError("The template is not complete: its package.json is not an object");
  const dependencies = isJsonObject(parsed["dependencies"]) ? parsed["dependencies"] : {};
  const versions = Object.fromEntries(
    Object.entries(dependencies).map(([name, spec]) => [
      name,
      name === "tenon" || name.startsWith("@tenon/") ? version : spec,
    ]),
  );
  return `${JSON.stringify({ ...parsed, dependencies: versions }, null, 2)}\n`;
}

function settings({ name, transport, auth }: Choices): Readonly<Record<string, string>> {
  return {
    MCP_SERVER_NAME: name,
    MCP_TRANSPORT_TYPE: transport,
    MCP_AUTH_MODE: auth,
    ...(auth === "jwt" ? { MCP_AUTH_SECRET_KEY: randomBytes(48).toString("base64url") } : {}),
  };
}

/** Moves everything up into the folder that was there; what was moved is taken back if the rest cannot be. */
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

/** Takes back folders that were made on the way, as long as nobody has put anything into them. */
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
  const { code, path } = error as NodeJS.ErrnoException; // file operations fail with no other kind
  throw cliError(
    `The project cannot be written${path === undefined ? "" : ` at ${path}`}: ${code ?? "unknown reason"}`,
  );
}
