/**
 * @fileoverview Starts and stops the everything server as a process.
 * @module tools/conformance/everything-server
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A running server. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server on a free port and waits until it responds. @throws with its output if it does not */
export async function startEverythingServer(): Promise<RunningServer> {
  const port = await findFreePort();
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
      await stop(child);
      throw new Error(`The everything server did not start: ${output.trim()}`);
    }
    await sleep(POLL_MS);
  }
  return { url, stop: () => stop(child) };
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 20_000;
const STOP_MS = 3_000;
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

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(late);
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string")
    throw new Error("The server is not listening on a port.");
  return address.port;
}
