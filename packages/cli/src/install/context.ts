/**
 * @fileoverview Access to the machine for `tenon install`. The other files of this folder receive it as a parameter.
 * @module cli/install/context
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { findLauncher, type Launcher } from "./server/launcher.js";
import type { FileProbe, Machine } from "./types.js";

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
