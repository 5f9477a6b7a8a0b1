/**
 * @fileoverview Runs the same hello-world on Node.js and on the runtimes installed in this folder.
 * @module tools/runtimes/run
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinary, FOLDER, type InstalledRuntime } from "./install.js";
import { runBounded, type RunOptions, type RunOutcome } from "../process.js";
import { fetchFromWorkerd } from "./workerd.js";

/** A runtime that the root entry supports. */
export type Runtime = "node" | InstalledRuntime;

/** A completed run (`output` is one line of JSON, or the problem), or the reason there is no such runtime here. */
export type HelloRun =
  | {
      readonly kind: "ran";
      readonly runtime: Runtime;
      readonly version: string;
      readonly ok: boolean;
      readonly output: string;
    }
  | { readonly kind: "left-out"; readonly runtime: Runtime; readonly reason: string };

/** Runs the hello-world with the built root entry. Binaries are installed on first use. */
export async function runHello(runtime: Runtime): Promise<HelloRun> {
  const binary =
    runtime === "node" ? ({ ok: true, path: process.execPath } as const) : await findBinary(runtime);
  if (!binary.ok) return { kind: "left-out", runtime, reason: binary.reason };
  const home = await mkdtemp(join(tmpdir(), "tenon-runtimes-"));
  try {
    // A minimal environment: runtimes write to a folder that is removed, and do not check for updates.
    const env = { HOME: home, TMPDIR: home, DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" };
    const options = { cwd: home, timeoutMs: RUN_MS, env };
    const version = await runBounded(binary.path, ["--version"], options);
    if (!version.ok) {
      return { kind: "left-out", runtime, reason: `${runtime} cannot be started: ${version.output}` };
    }
    const run = await HOW[runtime](binary.path, options);
    return { kind: "ran", runtime, version: readVersion(version.output), ...run };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Extracts the version. Formats differ: `v1.2.3`, `1.2.3`, with a name before it or lines after it. */
function readVersion(output: string): string {
  return /\d[\w.-]*/.exec(output)?.[0] ?? output;
}

const RUN_MS = 25_000;

const PRINT = `${FOLDER}print.mjs`;

/** Starts the hello-world on each runtime, without fetching anything. Deno gets no permissions. */
const HOW: Readonly<Record<Runtime, (binary: string, options: RunOptions) => Promise<RunOutcome>>> = {
  node: (binary, options) => runBounded(binary, [PRINT], options),
  bun: (binary, options) => runBounded(binary, ["--no-install", PRINT], options),
  deno: (binary, options) => runBounded(binary, ["run", ...DENO_FLAGS, PRINT], options),
  workerd: fetchFromWorkerd,
};

const DENO_FLAGS = ["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--node-modules-dir=manual"];
