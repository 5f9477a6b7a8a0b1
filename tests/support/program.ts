/**
 * @fileoverview Runs the built programs `tenon` and `create-tenon` as processes, and compiles servers for them.
 * @module tests/support/program
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { buildSync } from "esbuild";
import { runCli } from "../../packages/cli/src/run-cli.js";
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

/**
 * Runs `tenon` in this process, from its source, in a fraction of the time. For commands that do not depend on signals, a
 * terminal, or output of the user's module. At least one test of each command runs the built program.
 */
export async function tenonInProcess(
  args: readonly string[],
  options: InProcessOptions = {},
): Promise<Ended> {
  const { cwd = fixtures(), env = {}, stdin = "" } = options;
  const [stdout, stderr] = [new Captured(), new Captured()];
  const code = await runCli(args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    isInteractive: false,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

type InProcessOptions = Omit<RunOptions, "nodeFlags">;

/** Stream that keeps what is written to it. */
class Captured extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
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
