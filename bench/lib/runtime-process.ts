/**
 * @fileoverview A fetch function in a process of Bun, Deno, or workerd.
 * @module bench/lib/runtime-process
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build, type Plugin } from "esbuild";
import { findBinary, type InstalledRuntime } from "../../tools/runtimes/install.js";
import type { Setup } from "../servers/contract.js";
import { onServerCore } from "./cores.js";
import { BENCH } from "./paths.js";
import { processCpuUs } from "./process-cpu.js";
import type { MeasuredServer } from "./server-process.js";

const START_MS = 60_000;

/** Server to start: the name of a file in `servers/` whose adapter has a fetch function. */
export interface RuntimeOptions extends Setup {
  readonly runtime: InstalledRuntime;
  readonly server: string;
}

/** A running server. */
export class RuntimeProcess implements MeasuredServer {
  readonly name: string;
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(name: string, child: ChildProcess, { port, folder }: { port: number; folder: string }) {
    this.name = name;
    this.port = port;
    this.#child = child;
    this.#folder = folder;
  }

  /** Starts a server. @throws if the runtime is not available on this machine, or the server does not start */
  static async start(options: RuntimeOptions): Promise<RuntimeProcess> {
    const { runtime, server } = options;
    const binary = await findBinary(runtime);
    if (!binary.ok) throw new Error(binary.reason);
    const folder = mkdtempSync(join(tmpdir(), "tenon-bench-"));
    await bundle(options, `${folder}/server.mjs`);
    if (runtime === "workerd") writeFileSync(`${folder}/config.capnp`, WORKERD_CONFIG);
    const [program, args] = onServerCore(binary.path, ARGUMENTS[runtime]);
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: { HOME: folder, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: "1", NODE_ENV: "production" },
    });
    const said: string[] = [];
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < 20) said.push(text);
    });
    // Safe: the file descriptors 1 and 3 are pipes.
    const output = child.stdio[runtime === "workerd" ? 3 : 1] as Readable;
    try {
      const port = await readPort(output);
      return new RuntimeProcess(server, child, { port, folder });
    } catch {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`${server} did not start on ${runtime}. ${said.join("").trim().slice(0, 600)}`);
    }
  }

  /** Returns its CPU time so far, of all threads, in microseconds. */
  cpuUs(): Promise<number> {
    return Promise.resolve(processCpuUs(this.#child.pid ?? 0));
  }

  /** Stops the process and removes its files. */
  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    if (this.#child.kill("SIGKILL")) await exit;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Reads the port: a number on a line of its own, or workerd's control message. */
async function readPort(output: Readable): Promise<number> {
  for await (const line of createInterface({ input: output, signal: AbortSignal.timeout(START_MS) })) {
    const port = Number(/^\d+$|"port":\s*(\d+)/.exec(line)?.findLast((part) => part !== undefined));
    if (port > 0) return port;
  }
  throw new Error("The process ended.");
}

const DENO_FLAGS = ["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--allow-net", "--allow-env"];

const ARGUMENTS: Readonly<Record<InstalledRuntime, readonly string[]>> = {
  bun: ["--no-install", "server.mjs"],
  deno: ["run", ...DENO_FLAGS, "server.mjs"],
  workerd: ["serve", "--control-fd=3", "config.capnp"],
};

const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "bench", worker = .bench) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "bench") ],
);
const bench :Workerd.Worker = (
  modules = [ (name = "server", esModule = embed "server.mjs") ],
  compatibilityDate = "2026-01-01",
);
`;

/** Last statement of each program. A worker may use random numbers only in a request. */
const STARTS: Readonly<Record<InstalledRuntime, string>> = {
  bun: `const { port } = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 255, fetch: handle });
console.log(port);`,
  deno: `Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, handle);`,
  workerd: "export default { fetch: handle };",
};

async function bundle({ runtime, server, mode, tools }: RuntimeOptions, outfile: string): Promise<void> {
  const isWorker = runtime === "workerd";
  await build({
    stdin: {
      contents: `import { adapter } from "./servers/${server}.js";
let handler;
const handle = (request) => (handler ??= adapter.fetch(${JSON.stringify({ mode, tools })}))(request);
${STARTS[runtime]}`,
      resolveDir: BENCH,
      loader: "js",
    },
    outfile,
    bundle: true,
    format: "esm",
    target: "es2023",
    tsconfigRaw: "{}",
    logLevel: "error",
    ...(isWorker
      ? { platform: "neutral" as const, mainFields: ["module", "main"], plugins: [WITHOUT_NODE] }
      : { platform: "node" as const }),
  });
}

/** Replaces Node's modules, which only the servers' other transports use. */
const WITHOUT_NODE: Plugin = {
  name: "without-node",
  setup(current) {
    current.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "without-node" }));
    current.onLoad({ filter: /.*/, namespace: "without-node" }, () => ({
      contents: "module.exports = {};",
      loader: "js",
    }));
  },
};
