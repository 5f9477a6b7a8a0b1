/**
 * @fileoverview Machines of each platform, and the files that exist on them.
 * @module tests/cli/support/install/machines
 */
import type { InstallContext } from "../../../src/install/context.js";
import type { ConfigFile, FileProbe, Machine } from "../../../src/install/types.js";

export type Platform = "linux" | "darwin" | "win32";

export const PLATFORMS: readonly Platform[] = ["linux", "darwin", "win32"];

export const MACHINES: Readonly<Record<Platform, Machine>> = {
  linux: { platform: "linux", home: "/home/ada", env: {}, cwd: "/home/ada/shop" },
  darwin: { platform: "darwin", home: "/Users/ada", env: {}, cwd: "/Users/ada/shop" },
  win32: {
    platform: "win32",
    home: "C:\\Users\\ada",
    env: {
      APPDATA: "C:\\Users\\ada\\AppData\\Roaming",
      LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local",
    },
    cwd: "C:\\Users\\ada\\shop",
  },
};

/** Creates a probe for files with the given texts. Every other path exists if it is a folder above one of them. */
export function filesOf(texts: Readonly<Record<string, string>>): FileProbe {
  const paths = Object.keys(texts);
  const isFolder = (path: string) =>
    paths.some((file) => file.startsWith(`${path}/`) || file.startsWith(`${path}\\`));
  return {
    exists: (path) => Promise.resolve(Object.hasOwn(texts, path) || isFolder(path)),
    isFile: (path) => Promise.resolve(Object.hasOwn(texts, path)),
    list: (folder) =>
      Promise.resolve(
        paths.filter((file) => file.startsWith(folder)).map((file) => file.split(/[\\/]/).at(-1) ?? ""),
      ),
    read: (path) => Promise.resolve(Object.hasOwn(texts, path) ? texts[path] : undefined),
  };
}

/** Creates a context whose command line is installed for all users. */
export function contextOf(machine: Machine, texts: Readonly<Record<string, string>> = {}): InstallContext {
  const isWindows = machine.platform === "win32";
  return {
    machine,
    files: filesOf(texts),
    findLauncher: () =>
      Promise.resolve(
        isWindows
          ? {
              command: "C:\\Program Files\\nodejs\\node.exe",
              args: ["C:\\npm\\node_modules\\@tenon\\cli\\dist\\main.js"],
            }
          : { command: "/usr/bin/node", args: ["/usr/lib/node_modules/@tenon/cli/dist/main.js"] },
      ),
    now: () => 0,
    wait: () => Promise.resolve(),
  };
}

/** Creates the content of an existing file, or of a missing one. */
export function fileOf(text: string | undefined, path = "/config"): ConfigFile {
  const status = text === undefined ? undefined : { mode: 0o600, uid: 0, gid: 0 };
  return { path, text: text ?? "", hasByteOrderMark: false, status };
}
