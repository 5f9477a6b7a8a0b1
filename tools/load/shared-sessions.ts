/**
 * @fileoverview Opens idle sessions on a node with a Redis store, and compares its heap with few and with many of them.
 * @module tools/load/shared-sessions
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../compile-program.js";
import { startRedis } from "../redis-server.js";
import { callEcho, initialize, post } from "./load.js";

const NODE = fileURLToPath(new URL("node.ts", import.meta.url));

/** Number of sessions that the first measurement includes. */
const FEW_SESSIONS = 100;

/** Heap sizes of a node in bytes, with few and with many idle sessions in Redis. */
export interface SharedHeapReading {
  readonly few: number;
  readonly many: number;
  /** Number of sessions that responded to a call afterwards, out of `tried`. */
  readonly served: number;
  readonly tried: number;
}

/** Opens sessions on a node and measures its heap after a garbage collection. No session has an open stream. */
export async function readSharedSessions(count: number): Promise<SharedHeapReading> {
  const redis = await startRedis();
  const node = fork(compileProgram(NODE), [redis.url], { execArgv: ["--expose-gc"] });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const [url] = (await once(node, "message")) as [string];
    // Runs one-time initialization first, so that it does not count toward the sessions.
    for (const session of await openSessions(url, agent, WARM_UP)) await end(url, session);
    const first = await openSessions(url, agent, FEW_SESSIONS);
    const few = await readHeap(node);
    const others = await openSessions(url, agent, count - FEW_SESSIONS);
    const many = await readHeap(node);
    const step = Math.ceil(others.length / FEW_SESSIONS);
    const sample = [...first, ...others.filter((_session, index) => index % step === 0)];
    let served = 0;
    for (const session of sample) served += (await call(url, agent, session)) ? 1 : 0;
    return { few, many, served, tried: sample.length };
  } finally {
    agent.destroy();
    node.kill("SIGKILL");
    await redis.stop();
  }
}

const CONNECTIONS = 8;
const WARM_UP = 1_000;

async function openSessions(url: string, agent: Agent, count: number): Promise<readonly string[]> {
  const sessions: string[] = [];
  let left = count;
  const open = async () => {
    while (left-- > 0) {
      const { session = "" } = await post(url, agent, initialize, {});
      await post(url, agent, { jsonrpc: "2.0", method: "notifications/initialized" }, headersOf(session));
      if (!(await call(url, agent, session))) throw new Error("A new session does not respond to a call.");
      sessions.push(session);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, open));
  return sessions;
}

async function call(url: string, agent: Agent, session: string): Promise<boolean> {
  const { status, text } = await post(url, agent, callEcho(1, {}, false), headersOf(session));
  return status === 200 && text.includes('"text":"ok"');
}

async function end(url: string, session: string): Promise<void> {
  await (await fetch(url, { method: "DELETE", headers: headersOf(session) })).text();
}

function headersOf(session: string): Readonly<Record<string, string>> {
  return { "mcp-session-id": session };
}

/** Returns the lowest of some readings. A node forgets idle sessions within a second or two. */
async function readHeap(node: ChildProcess): Promise<number> {
  const readings: number[] = [];
  while (readings.length < READINGS) {
    const reply = once(node, "message");
    node.send("heap");
    const [bytes] = (await reply) as [number];
    readings.push(bytes);
    await sleep(READING_MS);
  }
  return Math.min(...readings);
}

const READINGS = 6;
const READING_MS = 500;
