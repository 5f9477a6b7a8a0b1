/**
 * @fileoverview `tenon run` with `--workers` or `--redis`: serves a module from several processes.
 * @module cli/run/run-nodes
 */
import process from "node:process";
import { toServerSource } from "@tenon/sdk/adapters";
import { type Running, serve } from "tenon/node";
import {
  cliError,
  EXIT,
  isTerminated,
  type Terminal,
  whenAborted,
} from "@tenon/internal/command-line/command";
import { type FlagValues, value } from "@tenon/internal/command-line/flags";
import { integer } from "@tenon/internal/options/option-rows";
import { messageOf } from "@tenon/internal/thrown";
import { hideCredentials, loadRedis, REDIS_OPTIONS } from "../load/load-redis.js";
import type { LoadedServer } from "../load/load-server.js";
import { type Address, assertHosts } from "./address.js";

/** The limit is that of `serve`. */
const WORKERS = {
  ...integer({ max: 512, or: ["auto"] }),
  expected: "an integer from 1 to 512, or auto",
};

/** Flags for several processes, and for the store that they share. */
export const NODE_ARGS = {
  workers: value(
    "number|auto",
    "Serve from this many processes, or one per CPU core with auto. Requires --port",
    { requires: "port", option: WORKERS },
  ),
  // A URL on the command line is visible to other users of the machine.
  redis: value(
    "url",
    "Share sessions and tasks with other machines in this Redis (default: TENON_REDIS_URL). " +
      "Requires --port and @tenon/redis",
    { requires: "port", option: REDIS_OPTIONS.rows.url },
  ),
};

/** Processes that serve a module, and their store. */
export type Nodes = FlagValues<typeof NODE_ARGS>;

/** Tells the user that the server is ready. `detail` describes its processes. */
export type Announce = (ready: { readonly url: string; readonly detail?: string }) => void;

/** Settings for `runNodes`. */
export interface NodesRun {
  readonly address: Address;
  readonly nodes: Nodes;
  readonly announce: Announce;
}

/** Serves a module until the program is stopped. In a worker process, prints nothing. */
export async function runNodes(
  loaded: LoadedServer,
  { address, nodes, announce }: NodesRun,
  terminal: Terminal,
): Promise<number> {
  const running = await start(loaded, { address, nodes }, terminal.env);
  const isPrimary = nodes.workers !== undefined && running.httpServer === undefined;
  if (isPrimary || nodes.workers === undefined)
    announce({ url: running.url ?? "", detail: describeWorkers(nodes) });
  void whenAborted(terminal.signal).then(async () => {
    if (isTerminated(terminal.signal)) await running.drain();
    await running.close();
  });
  await running.closed;
  await running.close();
  // The workers could not be replaced.
  return process.exitCode === EXIT.failure ? EXIT.failure : EXIT.ok;
}

async function start(
  loaded: LoadedServer,
  { address, nodes: { workers, redis } }: Pick<NodesRun, "address" | "nodes">,
  env: Terminal["env"],
): Promise<Running> {
  const { port, host, path, allowHost } = address;
  const { shared } = toServerSource(loaded.origin);
  if (shared === undefined)
    throw cliError(
      "--workers and --redis require a Tenon server, because a server of the official SDK keeps its sessions in one " +
        "process. Export a builder from `defineServer`, or an `McpServer` from `@tenon/sdk`.",
    );
  assertHosts(address);
  const store = redis === undefined ? undefined : await loadRedis(redis, loaded.module, env);
  try {
    return await serve(shared, {
      port,
      host,
      path,
      context: loaded.context,
      banner: false,
      signals: false,
      graceMs: GRACE_MS,
      ...(allowHost.length > 0 ? { allowedHosts: allowHost } : {}),
      ...(workers === undefined ? {} : { workers }),
      ...(store === undefined ? {} : { store }),
    });
  } catch (error) {
    throw cliError(hideCredentials(messageOf(error) ?? String(error), redis ?? ""));
  }
}

/** Time limit in milliseconds for calls in flight when the program is stopped. */
const GRACE_MS = 5_000;

function describeWorkers({ workers }: Nodes): string {
  if (workers === undefined) return "";
  if (workers === "auto") return " with one worker per CPU core";
  return ` with ${workers} ${workers === 1 ? "worker" : "workers"}`;
}
