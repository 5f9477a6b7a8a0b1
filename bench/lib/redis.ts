/**
 * @fileoverview Redis for the cluster suite, on the servers' core, with its CPU time and memory.
 * @module bench/lib/redis
 */
import { connect } from "node:net";
import { startRedis } from "../../tools/redis-server.js";
import { REDIS_PID, REDIS_URL } from "../servers/host-protocol.js";
import { moveToServerCore } from "./cores.js";
import { processCpuUs } from "./process-cpu.js";

/** Running Redis. */
export interface BenchRedis {
  /** Returns its CPU time so far in microseconds. */
  cpuUs(): number;
  /** Returns the memory that its data and connections take in bytes. */
  usedBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts Redis with an append-only file. Servers find its address in their environment. */
export async function startBenchRedis(): Promise<BenchRedis> {
  const server = await startRedis({ appendFsync: "everysec" });
  const pid = server.pid ?? 0;
  moveToServerCore(pid);
  process.env[REDIS_URL] = server.url;
  process.env[REDIS_PID] = String(pid);
  return {
    cpuUs: () => processCpuUs(pid),
    async usedBytes() {
      const text = await ask(server.port, "INFO memory");
      return Number(/^used_memory:(\d+)/m.exec(text)?.[1]);
    },
    stop: () => server.stop(),
  };
}

/** Sends one command and returns its reply, which Redis ends by closing the connection. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.setEncoding("utf8").on("data", (text: string) => (reply += text));
    socket.once("error", reject);
    socket.once("close", () => resolve(reply));
  });
}
