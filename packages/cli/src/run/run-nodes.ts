/**
 * @fileoverview `tenon run` with `--workers` or `--redis`: serves a module from several processes.
 * @module cli/run/run-nodes
 */
import process from "node:process";
import { toServerSource } from "@tenon/sdk/adapters";
import { type Running, serve } from "tenon/node";
import { cliError, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";
import { assertRedisFlags, hideCredentials, loadRedis, type RedisFlags } from "../load/load-redis.js";
import type { LoadedServer } from "../load/load-server.js";
import { type Address, assertHosts } from "./address.js";

/** Processes that serve a module, and their store. */
export interface Nodes {
  /** `undefined` to serve from this process only. */
  readonly workers: number | "auto" | undefined;
  /** `undefined` to keep sessions and tasks on this machine. */
  readonly redis: RedisFlags | undefined;
}

/** Parses the flags. Returns `undefined` if neither is set. @throws {CliError} */
export function parseNodes(
  { workers, redis }: { readonly workers: string | undefined; readonly redis: string | undefined },
  env: Terminal["env"],
): Nodes | undefined {
  if (workers === undefined && redis === undefined) return undefined;
  if (workers !== undefined && workers !== "auto" && !isWorkerCount(workers))
    throw usageError(
      `--workers must be an integer from 1 to ${MAX_WORKERS}, or auto; got "${oneLine(workers, 40)}".`,
    );
  const flags = redis === undefined ? undefined : { url: redis, keys: env["TENON_KEYS"] };
  if (flags !== undefined) assertRedisFlags(flags);
  return {
    workers: workers === undefined || workers === "auto" ? workers : Number(workers),
    redis: flags,
  };
}

function isWorkerCount(text: string): boolean {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= MAX_WORKERS;
}

/** Limit of `serve`. */
const MAX_WORKERS = 512;

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
  const running = await start(loaded, address, nodes);
  const isPrimary = nodes.workers !== undefined && running.httpServer === undefined;
  if (isPrimary || nodes.workers === undefined)
    announce({ url: running.url ?? "", detail: describeWorkers(nodes) });
  terminal.signal.addEventListener("abort", () => void running.close());
  if (terminal.signal.aborted) void running.close();
  await running.closed;
  await running.close();
  // The workers could not be replaced.
  return process.exitCode === EXIT.failure ? EXIT.failure : EXIT.ok;
}

async function start(loaded: LoadedServer, address: Address, { workers, redis }: Nodes): Promise<Running> {
  const { port, host, path, allowed } = address;
  const { shared } = toServerSource(loaded.origin);
  if (shared === undefined)
    throw cliError(
      "--workers and --redis require a Tenon server, because a server of the official SDK keeps its sessions in one " +
        "process. Export a builder from `defineServer`, or an `McpServer` from `@tenon/sdk`.",
    );
  assertHosts(address);
  const store = redis && (await loadRedis(redis, loaded.module));
  try {
    return await serve(shared, {
      port,
      host,
      path,
      context: loaded.context,
      banner: false,
      signals: false,
      graceMs: GRACE_MS,
      ...(allowed.length > 0 ? { allowedHosts: allowed } : {}),
      ...(workers === undefined ? {} : { workers }),
      ...(store === undefined ? {} : { store }),
    });
  } catch (error) {
    throw cliError(hideCredentials(messageOf(error) ?? String(error), redis?.url ?? ""));
  }
}

/** Time limit in milliseconds for calls in flight when the program is stopped. */
const GRACE_MS = 5_000;

function describeWorkers({ workers }: Nodes): string {
  if (workers === undefined) return "";
  if (workers === "auto") return " with one worker per CPU core";
  return ` with ${workers} ${workers === 1 ? "worker" : "workers"}`;
}
