/**
 * @fileoverview Sends one request to a worker in workerd: one bundle, one process, one loopback port.
 * @module tools/runtimes/workerd
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { FOLDER } from "./install.js";
import type { RunOptions, RunOutcome } from "../process.js";

/**
 * Serves the hello-world from `cwd`, which must be a separate folder, and fetches it.
 *
 * @throws if the root entry cannot be bundled because it needs a Node.js module
 */
export async function fetchFromWorkerd(
  binary: string,
  { cwd, timeoutMs, env }: RunOptions,
): Promise<RunOutcome> {
  await copyFile(`${FOLDER}config.capnp`, `${cwd}/config.capnp`);
  await bundleWorker(`${cwd}/worker.mjs`);
  const child = spawn(binary, ["serve", "--control-fd=3", "config.capnp"], {
    cwd,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    ...(env === undefined ? {} : { env }),
  });
  // File descriptors 2 and 3 are pipes that are read here.
  const [, , errors, control] = child.stdio as unknown as readonly [null, null, Readable, Readable];
  const said: string[] = [];
  errors.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // Listens from the start, so that an early exit is not missed. Rejects if the binary cannot run.
  const ended = once(child, "close").then(
    ([code, signal]) => `workerd exited with ${String(code ?? signal)}`,
    (error: unknown) => `workerd did not start: ${String(error)}`,
  );
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const port = await readPort(control, signal);
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal });
    const output = (await response.text()).trim();
    if (!response.ok) throw new Error(`The worker responded with status ${response.status}: ${output}`);
    return { ok: true, output };
  } catch (error) {
    child.kill("SIGKILL");
    return { ok: false, output: [String(error), await ended, ...said].join("\n").trim() };
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Bundles one module without imports. A Node.js module fails here, because nothing is external. */
async function bundleWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: [`${FOLDER}worker.mjs`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    logLevel: "silent",
  });
}

/** Reads control messages until one contains the port. They end when workerd exits, or on a timeout. */
async function readPort(control: Readable, signal: AbortSignal): Promise<number> {
  for await (const line of createInterface({ input: control, signal })) {
    const message = JSON.parse(line) as { readonly event?: unknown; readonly port?: unknown };
    if (message.event === "listen" && typeof message.port === "number") return message.port;
  }
  throw new Error("workerd did not report its port.");
}
