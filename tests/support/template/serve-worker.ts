/**
 * @fileoverview Serves a project's Worker with workerd, the runtime of Cloudflare Workers, on a loopback port.
 * @module tests/support/template/serve-worker
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { startWorkerd } from "../../../tools/runtimes/workerd.js";

/** Worker that is being served. */
export interface ServedWorker {
  readonly url: URL;
  stop(): Promise<void>;
}

/** Node.js modules are not available, because no compatibility flag is set. */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);

const worker :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "bundle.mjs") ],
  compatibilityDate = "DATE",
);
`;

/**
 * Bundles `entry` like Wrangler, without access to Node.js modules, and serves it from the project's folder.
 *
 * @param binary path of workerd
 * @param worker folder and entry point of the project, and the compatibility date in its configuration
 */
export async function serveWorker(
  binary: string,
  worker: { readonly cwd: string; readonly entry: string; readonly date: string },
): Promise<ServedWorker> {
  const { cwd, entry, date } = worker;
  await build({
    entryPoints: [join(cwd, entry)],
    outfile: join(cwd, "bundle.mjs"),
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "silent",
  });
  await writeFile(join(cwd, "config.capnp"), CONFIG.replace("DATE", date));
  const { port, stop } = await startWorkerd(binary, { cwd, env: {} });
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), stop: async () => void (await stop()) };
}
