/**
 * @fileoverview Command that starts `tenon run` from a client. It contains absolute paths, because clients do not use
 * the user's shell, and often have a different `PATH` and working directory.
 * @module cli/install/server/launcher
 */
import { pathsOf } from "../places.js";
import type { FileProbe, Machine } from "../types.js";

/** Command that runs the command line itself, without further arguments. */
export interface Launcher {
  readonly command: string;
  readonly args: readonly string[];
}

/** Copy of the command line that runs now, and the Node.js that runs it. */
export interface Installation {
  /** Path of the Node.js executable. */
  readonly node: string;
  /** Folder of the package. */
  readonly root: string;
  readonly version: string;
}

/** Facts that decide the command. */
export interface LauncherOptions {
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
