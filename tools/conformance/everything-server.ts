/**
 * @fileoverview Starts and stops the everything server as a process, or two of them that share a Redis.
 * @module tools/conformance/everything-server
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../compile-program.js";
import { findFreePort, stopServer } from "../server-process.js";
import { startBalancer } from "../balancer.js";

/** A running server. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts two servers that share a Redis, and a proxy that sends each request to the next one.
 *
 * @throws with the output of a server that does not start
 */
export async function startEverythingNodes(redisUrl: string): Promise<RunningServer> {
  const nodes: RunningServer[] = [];
  const stopNodes = () => Promise.all(nodes.map((node) => node.stop()));
  try {
    for (let count = 0; count < NODES; count++) nodes.push(await startEverythingServer(redisUrl));
    const ports = nodes.map(({ url }) => Number(new URL(url).port));
    const proxy = await startBalancer(() => ports);
    return {
      url: `http://127.0.0.1:${proxy.port}/mcp`,
      async stop() {
        await proxy.close();
        await stopNodes();
      },
    };
  } catch (error) {
    await stopNodes();
    throw error;
  }
}

/**
 * Starts the server on a free port and waits until it responds. With a URL, it keeps its sessions and tasks in Redis.
 *
 * @throws with its output if it does not start
 */
export async function startEverythingServer(redisUrl?: string): Promise<RunningServer> {
  const port = await findFreePort("127.0.0.1");
  const store = redisUrl === undefined ? [] : ["--redis", redisUrl];
  const program = compileProgram(join(ROOT, "examples/everything/main.ts"), "built");
  const args = [program, "--port", String(port), ...store];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
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
const NODES = 2;
const START_MS = 120_000;
const POLL_MS = 50;
const MAX_OUTPUT = 4_000;

/** Checks that the server responds. Any response counts, even a refusal. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
