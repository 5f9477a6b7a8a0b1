/**
 * @fileoverview Starts Redis, two nodes, and nginx on loopback, each as a process of its own.
 * @module examples/cluster/cluster
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startNginx } from "../../tools/nginx-server.js";
import { startRedis } from "../../tools/redis-server.js";
import { findFreePort, stopServer } from "../../tools/server-process.js";

/** Running cluster. */
export interface Cluster {
  /** Endpoint of nginx, which forwards each request to one of the nodes. */
  readonly url: string;
  /** Ends a node without a chance to finish its work. */
  kill(node: NodeName): Promise<void>;
  /** Stops all processes. */
  close(): Promise<void>;
}

/** Names of the nodes. */
export const NODES = ["a", "b"] as const;

/** Name of a node. */
export type NodeName = (typeof NODES)[number];

/** Starts all processes, and waits until both nodes are ready. @throws if a program is missing */
export async function startCluster(): Promise<Cluster> {
  const stops: (() => Promise<void>)[] = [];
  const close = async () => {
    // In reverse order: the nodes stop before Redis.
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  try {
    const redis = await startRedis();
    stops.push(() => redis.stop());
    const secret = randomBytes(32).toString("base64url");
    const started = NODES.map(async (name) => {
      const port = await findFreePort("127.0.0.1");
      const env = { NODE_NAME: name, PORT: String(port), REDIS_URL: redis.url, SECRET: secret };
      const process = startNode(env);
      stops.push(() => stopServer(process));
      await untilReady(`http://127.0.0.1:${port}/readyz`, process);
      return { name, port, process };
    });
    const nodes = await Promise.all(started);
    const port = await findFreePort("127.0.0.1");
    const nginx = await startNginx(readConfig({ ports: nodes.map((node) => node.port), port }), port);
    stops.push(() => nginx.stop());
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      async kill(name) {
        const node = nodes.find((one) => one.name === name);
        if (node === undefined) return;
        const exited = once(node.process, "exit");
        node.process.kill("SIGKILL");
        await exited;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function startNode(env: Readonly<Record<string, string>>): ChildProcess {
  const node = fork(fileURLToPath(new URL("node.ts", import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // A node ends with this process at the latest.
  process.once("exit", () => node.kill("SIGKILL"));
  return node;
}

const START_MS = 60_000;

/** Waits until a node has connected to Redis. */
async function untilReady(url: string, node: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await isReady(url))) {
    if (node.exitCode !== null || Date.now() > deadline) throw new Error(`A node did not start: ${url}`);
    await sleep(50);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** Reads `nginx.conf`, and replaces its ports by free ones. */
function readConfig({ ports, port }: { readonly ports: readonly number[]; readonly port: number }): string {
  const text = readFileSync(new URL("nginx.conf", import.meta.url), "utf8");
  return ports
    .reduce((config, node, index) => config.replace(`127.0.0.1:300${index + 1} `, `127.0.0.1:${node} `), text)
    .replace("listen 127.0.0.1:8080;", `listen 127.0.0.1:${port};`);
}
