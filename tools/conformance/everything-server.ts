/**
 * @fileoverview Starts and stops the everything server as a process.
 * @module tools/conformance/everything-server
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort, stopServer } from "../server-process.js";

/** A running server. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server on a free port and waits until it responds. @throws with its output if it does not */
export async function startEverythingServer(): Promise<RunningServer> {
  const port = await findFreePort("127.0.0.1");
  const args = ["--import", "tsx", "examples/everything/main.ts", "--port", String(port)];
  // Without the paths of tsconfig.json, the server uses the built packages.
  const env = { ...process.env, TSX_TSCONFIG_PATH: `${ROOT}/tsconfig.base.json` };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk: unknown) => (output = (output + String(chunk)).slice(-MAX_OUTPUT));
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const url = `http://127.0.0.1:${port}/mcp`;
  const deadline = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stopServer(child);
      throw new Error(`The everything server did not start: ${output.trim()}`);
    }
    await sleep(POLL_MS);
  }
  return { url, stop: () => stopServer(child) };
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 20_000;
const POLL_MS = 50;
const MAX_OUTPUT = 4_000;

/** Checks that the server responds. Any response counts, even a refusal. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
