/**
 * @fileoverview Starts workerd, the runtime of Cloudflare Workers, on a loopback port, and sends one request to a worker.
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

/** Running process of workerd. */
export interface Workerd {
  readonly port: number;
  /** Stops the process. Resolves to how it ended and what it printed to standard error. */
  readonly stop: () => Promise<string>;
}

/** Folder with a `config.capnp` that listens on port 0, and the limits of the process. */
export interface WorkerdOptions {
  readonly cwd: string;
  /** @default the environment of this process */
  readonly env?: RunOptions["env"] | undefined;
  /** Stops waiting for the port. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts workerd and waits until it listens. @throws if it does not report its port */
export async function startWorkerd(binary: string, { cwd, env, signal }: WorkerdOptions): Promise<Workerd> {
  const child = spawn(binary, ["serve", "--control-fd=3", "config.capnp"], {
    cwd,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    ...(env === undefined ? {} : { env }),
  });
  // Safe: file descriptors 2 and 3 are pipes that are read here.
  const [, , errors, control] = child.stdio as unknown as readonly [null, null, Readable, Readable];
  const printed: string[] = [];
  errors.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  // Listens from the start, so that an early exit is not missed. Rejects if the binary cannot run.
  const ended = once(child, "close").then(
    ([code, reason]) => `workerd exited with ${String(code ?? reason)}`,
    (error: unknown) => `workerd did not start: ${String(error)}`,
  );
  const stop = async () => {
    child.kill("SIGKILL");
    return [await ended, ...printed].join("\n").trim();
  };
  const port = await readPort(control, signal).catch(() => undefined);
  if (port !== undefined) return { port, stop };
  throw new Error(`workerd did not report its port.\n${await stop()}`);
}

/** Reads control messages until one contains the port. Resolves to `undefined` if workerd exits. */
async function readPort(control: Readable, signal: AbortSignal | undefined): Promise<number | undefined> {
  const lines = createInterface({ input: control, ...(signal === undefined ? {} : { signal }) });
  for await (const line of lines) {
    const message = JSON.parse(line) as { readonly event?: unknown; readonly port?: unknown };
    if (message.event === "listen" && typeof message.port === "number") return message.port;
  }
  return undefined;
}

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
  const signal = AbortSignal.timeout(timeoutMs);
  let worker: Workerd | undefined;
  try {
    worker = await startWorkerd(binary, { cwd, env, signal });
    const response = await fetch(`http://127.0.0.1:${worker.port}/`, { signal });
    const output = (await response.text()).trim();
    if (!response.ok) throw new Error(`The worker responded with status ${response.status}: ${output}`);
    return { ok: true, output };
  } catch (error) {
    return { ok: false, output: [String(error), (await worker?.stop()) ?? ""].join("\n").trim() };
  } finally {
    await worker?.stop();
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
