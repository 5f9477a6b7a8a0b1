/**
 * @fileoverview Runs the same hello-world on Node and on the runtimes installed in this folder.
 * @module tools/runtimes/run
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinary, FOLDER, type InstalledRuntime } from "./install.js";
import { runBounded, type RunOptions, type RunOutcome } from "../process.js";
import { fetchFromWorkerd } from "./workerd.js";

/** A runtime that the root entry is for. */
export type Runtime = "node" | InstalledRuntime;

/** The runtime did its run (`output` is one line of JSON, or what went wrong), or there is none on this machine. */
export type HelloRun =
  | {
      readonly kind: "ran";
      readonly runtime: Runtime;
      readonly version: string;
      readonly ok: boolean;
      readonly output: string;
    }
  | { readonly kind: "left-out"; readonly runtime: Runtime; readonly reason: string };

/** Runs the hello-world of the built root entry. The binaries are installed on first use. */
export async function runHello(runtime: Runtime): Promise<HelloRun> {
  const binary =
    runtime === "node" ? ({ ok: true, path: process.execPath } as const) : await findBinary(runtime);
  if (!binary.ok) return { kind: "left-out", runtime, reason: binary.reason };
  const home = await mkdtemp(join(tmpdir(), "tenon-runtimes-"));
  try {
    // A bare environment: what a runtime keeps goes to a folder that is removed, and none looks for a newer self.
    const env = { HOME: home, TMPDIR: home, DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" };
    const options = { cwd: home, timeoutMs: RUN_MS, env };
    const version = await runBounded(binary.path, ["--version"], options);
    if (!version.ok) {
      return { kind: "left-out", runtime, reason: `${runtime} does not start: ${version.output}` };
    }
    const run = await HOW[runtime](binary.path, options);
    return { kind: "ran", runtime, version: readVersion(version.output), ...run };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Each says its version in its own way: `v1.2.3`, `1.2.3`, a name before it, lines after it. */
function readVersion(output: string): string {
  return /\d[\w.-]*/.exec(output)?.[0] ?? output;
}

const RUN_MS = 25_000;

const PRINT = `${FOLDER}print.mjs`;

/** How each runtime is told to run it: with nothing fetched, and Deno with no permission at all. */
const HOW: Readonly<Record<Runtime, (binary: string, options: RunOptions) => Promise<RunOutcome>>> = {
  node: (binary, options) => runBounded(binary, [PRINT], options),
  bun: (binary, options) => runBounded(binary, ["--no-install", PRINT], options),
  deno: (binary, options) => runBounded(binary, ["run", ...DENO_FLAGS, PRINT], options),
  workerd: fetchFromWorkerd,
};

const DENO_FLAGS = ["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--node-modules-dir=manual"];
