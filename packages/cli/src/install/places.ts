/**
 * @fileoverview Paths of the clients' configuration files on Linux, macOS, and Windows. Each function returns the
 * preferred place first.
 * @module cli/install/places
 */
import { posix, win32 } from "node:path";
import type { ConfigPlace, Machine } from "./types.js";

/** Path functions of a platform. */
interface Paths {
  readonly join: (...parts: string[]) => string;
  readonly resolve: (...parts: string[]) => string;
  readonly dirname: (path: string) => string;
  readonly basename: (path: string, suffix?: string) => string;
  readonly extname: (path: string) => string;
  readonly isAbsolute: (path: string) => boolean;
}

/** Returns the path functions of a machine's platform. */
export function pathsOf({ platform }: Pick<Machine, "platform">): Paths {
  return platform === "win32" ? win32 : posix;
}

/** Returns the place of a file in the project folder. Its folder is created if it is missing. */
export function inProject(machine: Machine, ...names: readonly string[]): readonly ConfigPlace[] {
  return [{ file: pathsOf(machine).join(machine.cwd, ...names), signs: [] }];
}

/** Finds Claude Code's file, which also contains its state. */
export function claudeCodePlaces(machine: Machine): readonly ConfigPlace[] {
  const { join } = pathsOf(machine);
  const folder = readVariable(machine, "CLAUDE_CONFIG_DIR");
  if (folder !== undefined) return [{ file: join(folder, ".claude.json"), signs: [folder] }];
  const file = join(machine.home, ".claude.json");
  return [{ file, signs: [file, join(machine.home, ".claude")] }];
}

/**
 * Finds Claude Desktop's file. The Windows package from the store and from the website redirects its application data,
 * and does not read the usual file if the redirected one exists.
 */
export function claudeDesktopPlaces(machine: Machine): readonly ConfigPlace[] {
  const { join } = pathsOf(machine);
  const usual = inFolder(machine, join(applicationData(machine), "Claude"), "claude_desktop_config.json");
  if (machine.platform !== "win32") return [usual];
  const local = readVariable(machine, "LOCALAPPDATA") ?? join(machine.home, "AppData", "Local");
  const redirected = join(local, "Packages", STORE_PACKAGE, "LocalCache", "Roaming", "Claude");
  return [inFolder(machine, redirected, "claude_desktop_config.json"), usual];
}

/** Package of Claude Desktop on Windows. The suffix identifies the publisher. */
const STORE_PACKAGE = "Claude_pzs8sxrjxfjjc";

/** Finds Cursor's file. */
export function cursorPlaces(machine: Machine): readonly ConfigPlace[] {
  return [inFolder(machine, pathsOf(machine).join(machine.home, ".cursor"), "mcp.json")];
}

/** Finds the file of VS Code's default profile. */
export function vscodePlaces(machine: Machine): readonly ConfigPlace[] {
  const { join } = pathsOf(machine);
  const portable = readVariable(machine, "VSCODE_PORTABLE");
  const data = readVariable(machine, "VSCODE_APPDATA") ?? applicationData(machine);
  const folder = portable === undefined ? join(data, "Code") : join(portable, "user-data");
  return [inFolder(machine, join(folder, "User"), "mcp.json")];
}

/** Finds Gemini CLI's file. */
export function geminiPlaces(machine: Machine): readonly ConfigPlace[] {
  const home = readVariable(machine, "GEMINI_CLI_HOME") ?? machine.home;
  return [inFolder(machine, pathsOf(machine).join(home, ".gemini"), "settings.json")];
}

/** Finds goose's file. On macOS, goose uses the same folder as on Linux. */
export function goosePlaces(machine: Machine): readonly ConfigPlace[] {
  const { join } = pathsOf(machine);
  const root = readPath(machine, "GOOSE_PATH_ROOT");
  if (root !== undefined) return [inFolder(machine, join(root, "config"), "config.yaml")];
  const folder =
    machine.platform === "win32"
      ? join(applicationData(machine), "Block", "goose", "config")
      : join(xdgConfig(machine), "goose");
  return [inFolder(machine, folder, "config.yaml")];
}

function inFolder(machine: Machine, folder: string, name: string): ConfigPlace {
  return { file: pathsOf(machine).join(folder, name), signs: [folder] };
}

/** Returns the folder in which applications keep their data. */
function applicationData(machine: Machine): string {
  const { join } = pathsOf(machine);
  if (machine.platform === "win32")
    return readVariable(machine, "APPDATA") ?? join(machine.home, "AppData", "Roaming");
  if (machine.platform === "darwin") return join(machine.home, "Library", "Application Support");
  return xdgConfig(machine);
}

/** Relative paths in `XDG_CONFIG_HOME` are ignored, as the XDG Base Directory Specification requires. */
function xdgConfig(machine: Machine): string {
  return readPath(machine, "XDG_CONFIG_HOME") ?? pathsOf(machine).join(machine.home, ".config");
}

function readPath(machine: Machine, name: string): string | undefined {
  const value = readVariable(machine, name);
  return value !== undefined && pathsOf(machine).isAbsolute(value) ? value : undefined;
}

function readVariable({ env }: Machine, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}
