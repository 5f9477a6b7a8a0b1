/**
 * @fileoverview The program of the built package in processes of its own, and servers for it to talk to.
 * @module tests/support/program
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";
import { ROOT } from "./source-files.js";

/** How a run ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly nodeFlags?: readonly string[];
}

/** The folder of servers to talk to, as TypeScript. */
export const FIXTURE_SOURCES = `${ROOT}/packages/cli/tests/fixtures`;

let built: string | undefined;
const folders: string[] = [];

/** Servers, compiled once inside the project, so that they find their packages. */
function build(): string {
  if (built !== undefined) return built;
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  built = mkdtempSync(`${ROOT}/.tmp/cli-`);
  folders.push(built);
  const common = { bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" } } as const;
  buildSync({
    ...common,
    entryPoints: readdirSync(FIXTURE_SOURCES).map((file) => `${FIXTURE_SOURCES}/${file}`),
    outdir: `${built}/fixtures`,
    packages: "external",
    // Without the paths of tsconfig.json: fixtures use the built packages, as a user's files do.
    tsconfigRaw: "{}",
  });
  return built;
}

/** The program, as the package has it. */
export function programFile(): string {
  return `${ROOT}/packages/cli/dist/main.js`;
}

/** The folder of servers to talk to, as JavaScript. */
export function fixtures(): string {
  return `${build()}/fixtures`;
}

/** Starts the program; the caller sees to its end. */
export function startTenon(
  args: readonly string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const { cwd = fixtures(), env = {}, nodeFlags = [] } = options;
  return spawn(process.execPath, [...nodeFlags, programFile(), ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: "pipe",
  });
}

/** Runs the program to its end. */
export async function tenon(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = startTenon(args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined); // it may have left already
  child.stdin.end(options.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** A new folder outside the project, removed at the end. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-cli-")));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
