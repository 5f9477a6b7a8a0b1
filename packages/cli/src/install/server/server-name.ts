/**
 * @fileoverview Names of servers in a client's configuration, and default names.
 * @module cli/install/server/server-name
 */
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { pathsOf } from "../places.js";
import type { FileProbe, Machine } from "../types.js";

/** Asserts that every client accepts a name. @throws {CliError} */
export function assertServerName(name: string): void {
  if (NAME.test(name)) return;
  throw usageError(
    "--name must start with a letter or a digit, and consist of letters, digits, hyphens, and underscores " +
      `(limit: ${MAX_LENGTH} characters); got "${oneLine(name, 80)}".`,
  );
}

const MAX_LENGTH = 64;
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;

/** Converts text to a name. Returns `undefined` if the text does not contain a letter or a digit. */
export function toServerName(text: string): string | undefined {
  const name = text
    .slice(0, 4 * MAX_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, MAX_LENGTH)
    .replace(/(?<![-_])[-_]+$/, "");
  return name === "" ? undefined : name;
}

/** Suggests a name for a module: the name of its package, or the name of its file. The name of an export is appended. */
export async function nameOfModule(
  file: { readonly path: string; readonly exportName: string | undefined },
  machine: Machine,
  files: FileProbe,
): Promise<string | undefined> {
  const { basename, dirname, extname } = pathsOf(machine);
  const stem = basename(file.path, extname(file.path));
  const base = (await packageName(dirname(file.path), machine, files)) ?? stem;
  return toServerName(file.exportName === undefined ? base : `${base}-${file.exportName}`);
}

async function packageName(start: string, machine: Machine, files: FileProbe): Promise<string | undefined> {
  const { dirname, join } = pathsOf(machine);
  for (let folder = start, level = 0; level < MAX_LEVELS; folder = dirname(folder), level++) {
    const manifest = readJson((await files.read(join(folder, "package.json"))) ?? "");
    if (isJsonObject(manifest) && typeof manifest["name"] === "string") return withoutScope(manifest["name"]);
    if (dirname(folder) === folder) break;
  }
  return undefined;
}

/** Number of folders in which a manifest is searched. */
const MAX_LEVELS = 20;

/** Suggests a name for a URL: its host without the top-level domain, such as `example` for `mcp.example.com`. */
export function nameOfUrl({ hostname }: URL): string | undefined {
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const host = isAddress
    ? hostname
    : hostname.replace(/^(?:www|mcp|api)\.(?=.*\.)/, "").replace(/\.[^.]+\.?$/, "");
  return toServerName(host);
}

/** Suggests a name for a program: the package that it runs, or the name of the script or of the program. */
export function nameOfProgram(words: readonly string[], machine: Machine): string | undefined {
  const { basename, extname } = pathsOf(machine);
  const [command = "", ...args] = words;
  const program = basename(command).replace(/\.(?:exe|cmd|bat)$/i, "");
  const first = args.find((word) => !word.startsWith("-") && !/^(?:exec|dlx|run|x|tool)$/.test(word));
  if (first !== undefined && RUNNERS.has(program)) {
    const isPackage = /^(?:@[^/\\]+\/)?[^/\\]+$/.test(first) && !SCRIPT.test(first);
    return toServerName(isPackage ? withoutVersion(withoutScope(first)) : basename(first, extname(first)));
  }
  return toServerName(program);
}

/** Programs whose first argument names the server. */
const RUNNERS = new Set(
  "npx npm pnpx pnpm yarn bunx bun uvx uv pipx deno node tsx python python3 docker".split(" "),
);

/** Names of scripts. */
export const SCRIPT = /\.(?:[cm]?[jt]sx?|py)$/i;

function withoutScope(name: string): string {
  return name.replace(/^@[^/]*\//, "");
}

function withoutVersion(name: string): string {
  const at = name.indexOf("@", 1);
  return at === -1 ? name : name.slice(0, at);
}
