/**
 * @fileoverview Asks a worker in workerd for its reply, once: one bundle, one process, one request on a loopback port.
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
 * Serves the hello-world from `cwd`, which is to be a folder of its own, and fetches it.
 *
 * @throws where the root entry needs something that only Node has, so that it cannot be bundled
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
  // Descriptors 2 and 3 were asked for as pipes that are read from here.
  const [, , errors, control] = child.stdio as unknown as readonly [null, null, Readable, Readable];
  const said: string[] = [];
  errors.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // Heard from the start, so that an early end is never missed; it fails for a binary that cannot be run.
  const ended = once(child, "close").then(
    ([code, signal]) => `workerd ended with ${String(code ?? signal)}`,
    (error: unknown) => `workerd did not start: ${String(error)}`,
  );
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const port = await readPort(control, signal);
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal });
    const output = (await response.text()).trim();
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${output}`);
    return { ok: true, output };
  } catch (error) {
    child.kill("SIGKILL");
    return { ok: false, output: [String(error), await ended, ...said].join("\n").trim() };
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** One module without imports: what only Node has fails here, as nothing is left external. */
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

/** Reads the control messages until one tells the port; they end when workerd does, or when the time is up. */
async function readPort(control: Readable, signal: AbortSignal): Promise<number> {
  for await (const line of createInterface({ input: control, signal })) {
    const message = JSON.parse(line) as { readonly event?: unknown; readonly port?: unknown };
    if (message.event === "listen" && typeof message.port === "number") return message.port;
  }
  throw new Error("workerd told no port");
}
