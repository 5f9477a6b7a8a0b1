/**
 * @fileoverview Starts a Redis Cluster with three masters on loopback.
 * @module tools/redis-cluster
 */
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { runBounded } from "./process.js";
import { type RedisServer, startRedis } from "./redis-server.js";
import { findFreePort } from "./server-process.js";

const MASTERS = 3;
const SLOTS = 16_384;
const START_MS = 60_000;

/** Running cluster. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  /** Ends all nodes and deletes their data. */
  stop(): Promise<void>;
}

/** Starts a cluster and waits until all of its nodes know each other. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const started: { readonly node: RedisServer; readonly busPort: number }[] = [];
  const stop = async () => void (await Promise.all(started.map(({ node }) => node.stop())));
  try {
    for (let index = 0; index < MASTERS; index++) {
      const busPort = await findFreePort("127.0.0.1");
      const args = ["--cluster-enabled", "yes", "--cluster-port", String(busPort)];
      const node = await startRedis({ args: [...args, "--cluster-node-timeout", "2000"] });
      started.push({ node, busPort });
      const [first, last] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / MASTERS));
      await runCli(node, "cluster", "addslotsrange", String(first), String((last ?? SLOTS) - 1));
      await runCli(node, "cluster", "set-config-epoch", String(index + 1));
      for (const other of started.slice(0, -1)) {
        await runCli(
          node,
          "cluster",
          "meet",
          other.node.host,
          String(other.node.port),
          String(other.busPort),
        );
      }
    }
    const nodes = started.map(({ node }) => node);
    await untilReady(nodes);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilReady(nodes: readonly RedisServer[]): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const infos = await Promise.all(nodes.map((node) => runCli(node, "cluster", "info")));
    const isReady = (info: string) =>
      info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${MASTERS}`);
    if (infos.every(isReady)) return;
    if (Date.now() > deadline) throw new Error("The Redis Cluster did not become ready.");
    await sleep(50);
  }
}

async function runCli({ port }: RedisServer, ...args: readonly string[]): Promise<string> {
  const options = { cwd: tmpdir(), timeoutMs: START_MS };
  const { ok, output } = await runBounded("redis-cli", ["-p", String(port), ...args], options);
  if (!ok || output.startsWith("ERR")) throw new Error(`redis-cli failed: ${output}`);
  return output;
}
