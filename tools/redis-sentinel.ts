/**
 * @fileoverview Starts a Redis primary with a replica, and Sentinels that watch them, on loopback.
 * @module tools/redis-sentinel
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runBounded } from "./process.js";
import { findRedis, type RedisServer, startRedis } from "./redis-server.js";
import { findFreePort } from "./server-process.js";

const SENTINELS = 3;
const START_MS = 60_000;

/** Name that the Sentinels know the primary by. */
export const PRIMARY_NAME = "tenon-primary";

/** Running primary, replica, and Sentinels. */
export interface RedisSentinels {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Address of the primary for `redis`. */
  readonly url: string;
  /** Ends all processes and deletes their data. */
  stop(): Promise<void>;
}

/** Starts all processes and waits until every Sentinel knows the replica and the other Sentinels. */
export async function startRedisSentinels(): Promise<RedisSentinels> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => void (await Promise.all(stops.map((end) => end())));
  try {
    const primary = await startRedis();
    stops.push(() => primary.stop());
    const replica = await startRedis({ args: ["--replicaof", primary.host, String(primary.port)] });
    stops.push(() => replica.stop());
    const ports: number[] = [];
    for (let index = 0; index < SENTINELS; index++) {
      const { port, end } = await startSentinel(primary);
      ports.push(port);
      stops.push(end);
    }
    await untilReady(ports);
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
    return { primary, replica, url: `redis+sentinel://${hosts}/${PRIMARY_NAME}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSentinel({ host, port: primaryPort }: RedisServer) {
  const { path = "redis-server" } = await findRedis();
  const port = await findFreePort("127.0.0.1");
  const folder = mkdtempSync(join(tmpdir(), "tenon-sentinel-"));
  const file = join(folder, "sentinel.conf");
  const settings = [
    "bind 127.0.0.1",
    `port ${port}`,
    `dir ${folder}`,
    `sentinel monitor ${PRIMARY_NAME} ${host} ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} 1000`,
    `sentinel failover-timeout ${PRIMARY_NAME} 4000`,
  ];
  writeFileSync(file, `${settings.join("\n")}\n`);
  const child = spawn(path, [file, "--sentinel"], { stdio: "ignore" });
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", () => child.kill("SIGKILL"));
  return { port, end };
}

async function untilReady(ports: readonly number[]): Promise<void> {
  const deadline = Date.now() + START_MS;
  const isReady = async (port: number) => {
    const options = { cwd: tmpdir(), timeoutMs: START_MS };
    const { ok, output } = await runBounded("redis-cli", ["-p", String(port), "info", "sentinel"], options);
    return ok && /status=ok,.*slaves=1,sentinels=3/.test(output);
  };
  while (!(await Promise.all(ports.map(isReady))).every(Boolean)) {
    if (Date.now() > deadline) throw new Error("The Sentinels did not become ready.");
    await sleep(100);
  }
}
