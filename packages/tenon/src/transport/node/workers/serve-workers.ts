/**
 * @fileoverview `serve` with `workers`: the first process starts the workers and does not handle requests. The workers
 * run the same program and share the port.
 * @module tenon/transport/node/workers/serve-workers
 */
import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { HostedServer } from "../../../core/wire/hosted-server.js";
import { DEFAULT_SESSION_LIMITS } from "../../../session/session-limits.js";
import { createMemoryStore } from "../../../stores/memory-store.js";
import type { SharedStore } from "../../../stores/shared-store.js";
import { printToStderr } from "../../default-log.js";
import { listen } from "../listen.js";
import { drainFor, runHttp, type Running, urlOf } from "../run-http.js";
import type { ServeSettings } from "../serve-options.js";
import { withLabel, type Metric } from "../health/metrics-text.js";
import { createProcessPort } from "./process-port.js";
import { readMetrics } from "./read-metrics.js";
import { RpcChannel } from "./rpc-channel.js";
import { createStoreClient } from "./store-client.js";
import { StoreHost } from "./store-host.js";
import { WorkerPool } from "./worker-pool.js";

/** Server that runs in several processes. */
export interface WorkersOptions<Context> {
  readonly port: number;
  readonly options: ServeSettings<Context>;
  /** Called in the first process when all workers are listening. */
  readonly onStarted: (url: string, workers: number) => void;
}

/** True in a process that `serve` has started as a worker. */
function isWorkerProcess(): boolean {
  return cluster.isWorker && process.env[WORKER_MARK] === "1";
}

/**
 * Starts the workers, or runs the server if this process is one of them.
 *
 * @throws if the workers cannot start, or if the program starts workers for a second server
 */
export function serveWorkers<Context>(
  server: HostedServer<Context>,
  workers: WorkersOptions<Context>,
): Promise<Running> {
  return isWorkerProcess() ? runWorker(server, workers) : runPrimary(workers);
}

/** Environment variable that marks a worker process. */
const WORKER_MARK = "TENON_WORKER";

let hasWorkers = false;

async function runPrimary<Context>({ port, options, onStarted }: WorkersOptions<Context>): Promise<Running> {
  if (cluster.isWorker)
    throw new TypeError(
      "serve: `workers` cannot be used in a process that `node:cluster` has started. Remove `workers`.",
    );
  if (hasWorkers)
    throw new Error("serve: a program can use `workers` for one server only. Start the others without it.");
  hasWorkers = true;
  const size = options.workers === "auto" ? availableParallelism() : (options.workers ?? 1);
  const { host, allowedHosts, graceMs, store } = options;
  try {
    const actualPort = await reservePort({ port, host, allowedHosts });
    const storeHost = store === undefined ? new StoreHost(createStore(options), size) : undefined;
    useSharedSocket();
    const fork = (): Worker => cluster.fork({ [WORKER_MARK]: "1" });
    const pool: WorkerPool = new WorkerPool({
      size,
      fork,
      port: actualPort,
      graceMs,
      print: printToStderr,
      onChannel: (channel) => {
        storeHost?.serve(channel);
        channel.handle({ "metrics.all": () => collectFromAll(pool) });
      },
    });
    await pool.start();
    const url = urlOf(options, actualPort);
    onStarted(url, size);
    const close = async () => {
      await pool.close();
      await storeHost?.close();
      hasWorkers = false;
    };
    const drain = () => {
      pool.drain();
      return drainFor(options.drainMs, pool.closed);
    };
    return { url, httpServer: undefined, closed: pool.closed, close, drain };
  } catch (error) {
    hasWorkers = false;
    throw error;
  }
}

/** Creates the store for all workers. Each session has one stream of events. */
function createStore({ sessions }: Pick<ServeSettings<never>, "sessions">): SharedStore {
  const maxSessions = sessions?.maxSessions ?? DEFAULT_SESSION_LIMITS.maxSessions;
  return createMemoryStore({
    sessions: { maxKeys: maxSessions },
    events: { maxStreams: maxSessions + OTHER_STREAMS },
  });
}

/** Streams that do not belong to a session, such as those of changes, and streams of sessions that have just ended. */
const OTHER_STREAMS = 1_000;

/**
 * Lets workers accept connections themselves. With Node's default, the first process accepts them, and a connection that
 * it has given to a worker hangs forever if the worker ends at that moment. The CPU time per request is the same.
 */
function useSharedSocket(): void {
  if (process.env["NODE_CLUSTER_SCHED_POLICY"] === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE;
}

interface Address {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[] | undefined;
}

/**
 * Checks that the address can be used, and returns its port. All workers then listen on that port, also after all of
 * them were replaced. The port is free again for a moment. If another program takes it, the workers report that.
 */
async function reservePort(address: Address): Promise<number> {
  const probe = await listen((_request, response) => response.destroy(), address);
  await probe.close();
  return probe.port;
}

/** Collects the metrics of all workers that respond in time. One that hangs must not hide the others. */
async function collectFromAll(pool: WorkerPool): Promise<readonly Metric[]> {
  const read = async (channel: RpcChannel) => {
    const late = new AbortController();
    const timeout = setTimeout(METRICS_MS, undefined, { signal: late.signal }).catch(() => undefined);
    const metrics = await Promise.race([channel.call("metrics.own"), timeout]);
    late.abort();
    return readMetrics(metrics);
  };
  const outcomes = await Promise.allSettled(pool.channels.map(read));
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
}

/** Time in milliseconds that a worker gets to return its metrics. */
const METRICS_MS = 1_000;

async function runWorker<Context>(
  server: HostedServer<Context>,
  { options }: WorkersOptions<Context>,
): Promise<Running> {
  const channel = new RpcChannel(createProcessPort(process));
  try {
    const { port, number } = readJoined(await channel.call("join"));
    const running = await runHttp(server, {
      port,
      options: { ...options, store: options.store ?? createStoreClient(channel) },
      onMetrics: (read) =>
        channel.handle({
          "metrics.own": () => read().map((metric) => withLabel(metric, "worker", String(number))),
        }),
      collectMetrics: async () => readMetrics(await channel.call("metrics.all")),
      // One worker prints the warnings for all.
      print: number === 1 ? printToStderr : () => undefined,
    });
    const stop = async () => {
      await running.close();
      // Without a channel to the first process, the worker ends when the program has nothing else to do.
      cluster.worker?.disconnect();
    };
    let stopping: Promise<void> | undefined;
    const close = () => (stopping ??= stop());
    channel.handle({ stop: () => void close(), drain: () => void running.drain() });
    await channel.call("ready");
    return { ...running, close };
  } catch (error) {
    // The first process reports the reason once, for all workers.
    const reason = error instanceof Error ? error.message : String(error);
    await channel.call("failed", [reason]).catch(() => undefined);
    return process.exit(1);
  }
}

function readJoined(joined: unknown): { readonly port: number; readonly number: number } {
  const { port, number } = joined as { readonly port: number; readonly number: number }; // Safe: the method's result
  return { port, number };
}
