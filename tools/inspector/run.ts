/**
 * @fileoverview Runs the command line of the MCP Inspector: one connection, one request, one exit code.
 * @module tools/inspector/run
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeBinary } from "../nodes/binary.js";
import { installOnce } from "../install-once.js";

/** The Inspector, or the reason it cannot run here. */
export type Inspector =
  { readonly ok: true; readonly node: string } | { readonly ok: false; readonly reason: string };

/** Outcome of a run of the Inspector. */
export interface InspectorRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FOLDER = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const PACKAGE = "@modelcontextprotocol/inspector";
const ENTRY = `${FOLDER}/node_modules/${PACKAGE}/clients/launcher/build/index.js`;

/** Finds the Inspector and a Node.js that can run it. Installs what is missing. */
export async function findInspector(): Promise<Inspector> {
  const failure = await installOnce(FOLDER, [PACKAGE]);
  if (failure !== undefined) return { ok: false, reason: failure };
  const node = await nodeBinary(22);
  return typeof node === "string" ? { ok: true, node } : { ok: false, reason: node.reason };
}

/** Runs the Inspector with `args` after `--cli`. Its files are written to a folder that is removed. */
export async function runInspector(
  { node }: Inspector & { readonly ok: true },
  args: readonly string[],
  timeoutMs = 20_000,
): Promise<InspectorRun> {
  const home = await mkdtemp(join(tmpdir(), "tenon-inspector-"));
  const options = {
    cwd: home,
    env: { HOME: home, TMPDIR: home, PATH: process.env["PATH"] },
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  } as const;
  try {
    return await new Promise((resolve) => {
      execFile(node, [ENTRY, "--cli", ...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
