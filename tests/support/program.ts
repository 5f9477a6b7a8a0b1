/**
 * @fileoverview Runs the built programs `tenon` and `create-tenon` as processes, and compiles servers for them.
 * @module tests/support/program
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterFile } from "./after-file.js";
import { ROOT } from "../../tools/source-files.js";

/** Name of a built program. */
export type ProgramName = "tenon" | "create-tenon";

/** A program's exit code and output. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a program. */
export interface RunOptions {
  /** @default the folder of compiled servers */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly nodeFlags?: readonly string[];
}

/** Folder with the fixture servers' TypeScript files. */
export const FIXTURE_SOURCES = `${ROOT}/packages/cli/tests/fixtures`;

let built: string | undefined;

/** Compiles the fixture servers once, inside the project, so that their imports resolve. */
function build(): string {
  if (built !== undefined) return built;
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  built = removedAfterFile(mkdtempSync(`${ROOT}/.tmp/cli-`));
  afterFile(() => (built = undefined));
  const common = { bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" } } as const;
  buildSync({
    ...common,
    entryPoints: readdirSync(FIXTURE_SOURCES).map((file) => `${FIXTURE_SOURCES}/${file}`),
    outdir: `${built}/fixtures`,
    packages: "external",
    // Ignores the paths in tsconfig.json, so that fixtures import the built packages, as a user's files do.
    tsconfigRaw: "{}",
  });
  return built;
}

const FOLDERS: Readonly<Record<ProgramName, string>> = { tenon: "cli", "create-tenon": "create-tenon" };

/** Returns the path to a built program. */
export function programFile(name: ProgramName): string {
  return `${ROOT}/packages/${FOLDERS[name]}/dist/main.js`;
}

/** Returns the folder with the fixture servers' JavaScript files. */
export function fixtures(): string {
  return `${build()}/fixtures`;
}

/** Starts `tenon`. The caller must stop it. */
export function startTenon(
  args: readonly string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return start("tenon", args, options);
}

/** Runs `tenon` until it exits. */
export function tenon(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return runToEnd("tenon", args, options);
}

/** Runs `create-tenon` until it exits. */
export function createTenon(
  args: readonly string[],
  options: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  return runToEnd("create-tenon", args, options);
}

function start(
  name: ProgramName,
  args: readonly string[],
  options: RunOptions,
): ChildProcessWithoutNullStreams {
  const { cwd = fixtures(), env = {}, nodeFlags = [] } = options;
  return spawn(process.execPath, [...nodeFlags, programFile(name), ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: "pipe",
  });
}

async function runToEnd(name: ProgramName, args: readonly string[], options: RunOptions): Promise<Ended> {
  const child = start(name, args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined); // the program may have exited already
  child.stdin.end(options.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Creates a folder outside the project. It is removed after the file's tests. */
export function temporaryFolder(): string {
  return removedAfterFile(realpathSync(mkdtempSync(join(tmpdir(), "tenon-cli-"))));
}

function removedAfterFile(folder: string): string {
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
