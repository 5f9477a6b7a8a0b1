/**
 * @fileoverview Access to the machine for `tenon install`, and the command that starts this package. The other files of this folder receive it as a parameter.
 * @module cli/install/context
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import type { FileProbe, Machine } from "./types.js";
import { pathsOf } from "./places.js";

/** Machine, files, clock, and timer. */
export interface InstallContext {
  readonly machine: Machine;
  readonly files: FileProbe;
  /** Returns the command that runs `tenon` for a module in a folder. */
  readonly findLauncher: (folder: string) => Promise<Launcher>;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Creates the context of this process. */
export function createInstallContext({ cwd, env }: Pick<Terminal, "cwd" | "env">): InstallContext {
  const machine: Machine = { platform: process.platform, home: homedir(), env, cwd };
  const { root, version } = packageFacts("@tenon/cli", import.meta.url);
  const installation = { node: process.execPath, root, version };
  return {
    machine,
    files: FILES,
    findLauncher: (folder) => findLauncher(folder, { installation, machine, files: FILES }),
    now: () => Date.now(),
    wait: async (milliseconds) => {
      await delay(milliseconds);
    },
  };
}

/** Maximum size in bytes of a file that is only looked at, such as a manifest. */
const MAX_BYTES = 1_048_576;

const FILES: FileProbe = {
  exists: async (path) => (await stat(path).catch(() => undefined)) !== undefined,
  isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() === true,
  list: (folder) => readdir(folder).catch((): string[] => []),
  async read(path) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true || found.size > MAX_BYTES) return undefined;
    return readFile(path, "utf8").catch(() => undefined);
  },
};

/** Command that runs the command line itself, without further arguments. */
export interface Launcher {
  readonly command: string;
  readonly args: readonly string[];
}

/** Copy of the command line that runs now, and the Node.js that runs it. */
interface Installation {
  /** Path of the Node.js executable. */
  readonly node: string;
  /** Folder of the package. */
  readonly root: string;
  readonly version: string;
}

/** Facts that decide the command. */
interface LauncherOptions {
  readonly installation: Installation;
  readonly machine: Machine;
  readonly files: FileProbe;
}

/**
 * Finds the command for a module in a folder. The project's own copy of the command line is preferred. A copy in npx's
 * cache is not permanent, so npx is started instead of it.
 */
export async function findLauncher(folder: string, options: LauncherOptions): Promise<Launcher> {
  const { installation, machine, files } = options;
  const { node, root, version } = installation;
  const own = await findInProject(folder, options);
  if (own === undefined && /[\\/]_npx[\\/]/.test(root))
    return { command: "npx", args: ["-y", `@tenon/cli@${version}`] };
  const main = own ?? pathsOf(machine).join(root, "dist", "main.js");
  return { command: await toPermanentNode(node, files), args: [main] };
}

/** Finds the program in the `node_modules` folders above a module. Links are kept, because they survive upgrades. */
async function findInProject(
  start: string,
  { machine, files }: LauncherOptions,
): Promise<string | undefined> {
  const { dirname, join } = pathsOf(machine);
  for (let folder = start, level = 0; level < MAX_LEVELS; folder = dirname(folder), level++) {
    const main = join(folder, "node_modules", "@tenon", "cli", "dist", "main.js");
    if (await files.isFile(main)) return main;
    if (dirname(folder) === folder) break;
  }
  return undefined;
}

/** Number of folders in which the package is searched. */
const MAX_LEVELS = 20;

/** Returns Homebrew's permanent link to Node.js, because an upgrade removes the folder of the old version. */
async function toPermanentNode(node: string, files: FileProbe): Promise<string> {
  const [, prefix, formula] = /^(.*)\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/.exec(node) ?? [];
  if (prefix === undefined || formula === undefined) return node;
  const link = `${prefix}/opt/${formula}/bin/node`;
  return (await files.exists(link)) ? link : node;
}
