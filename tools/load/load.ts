/**
 * @fileoverview Load and endurance tests that run on this machine only. `npm run load` runs them in full, and the
 * tests in a short form.
 * @module tools/load/load
 */
import { Buffer } from "node:buffer";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface, type Interface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProgram } from "../compile-program.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOAD_SERVER = fileURLToPath(new URL("server.ts", import.meta.url));
const LOAD_SESSIONS = fileURLToPath(new URL("idle-sessions.ts", import.meta.url));

/** Headers of a stateless call. */
const CALL_HEADERS = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "echo",
};

/** Delay of a call that does not end within a test, in milliseconds. */
const NEVER_MS = 600_000;

/** Response to one POST request. */
export interface PostReply {
  readonly status: number;
  readonly text: string;
  readonly session: string | undefined;
}

/** Process of the load server. */
interface LoadServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Lines that the process prints after its URL. */
  readonly lines: Interface;
}

async function startLoadServer(): Promise<LoadServer> {
  const child = spawn(process.execPath, [compileProgram(LOAD_SERVER)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await once(lines, "line")) as [string];
  return { url, child, lines };
}

/** Calls a tool from many clients that use the same IDs. Returns the number of misrouted responses. */
export async function countMisrouted(options: {
  readonly clients: number;
  readonly calls: number;
}): Promise<number> {
  const { url, child } = await startLoadServer();
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  let misrouted = 0;
  const runClient = async (client: number) => {
    const isModern = client % 2 === 0;
    const opened = isModern ? undefined : await post(url, agent, initialize, {});
    for (let id = 1; id <= options.calls; id++) {
      const text = `client ${client} call ${id}`;
      const headers: Record<string, string> = isModern
        ? CALL_HEADERS
        : { "mcp-session-id": opened?.session ?? "" };
      const reply = await post(url, agent, callEcho(id, { text }, isModern), headers);
      const { id: answered, result } = JSON.parse(reply.text) as {
        id: unknown;
        result?: { content: [{ text: string }] };
      };
      if (answered !== id || result?.content[0].text !== text) misrouted++;
    }
  };
  try {
    await Promise.all(Array.from({ length: options.clients }, (_, client) => runClient(client)));
  } finally {
    agent.destroy();
    await stop(child, "SIGKILL");
  }
  return misrouted;
}

/** Outcomes of calls that were in flight while the server stopped. */
export interface StopTally {
  readonly finished: number;
  readonly refused: number;
  readonly lost: number;
  readonly exitCode: number | null;
}

/** Stops a server under load. A call that was accepted but never received a response counts as lost. */
export async function stopUnderLoad(callers: number): Promise<StopTally> {
  const { url, child } = await startLoadServer();
  const tally = { finished: 0, refused: 0, lost: 0 };
  let stopping = false;
  const call = async (id: number) => {
    const startedAfterSignal = stopping;
    try {
      // Each call has its own connection. A keep-alive connection may close during a request, which would count as
      // lost.
      const reply = await post(
        url,
        false,
        callEcho(id, { text: "x", afterMs: 30 + (id % 5) * 20 }, true),
        CALL_HEADERS,
      );
      if (reply.status === 200) tally.finished++;
      else tally.refused++;
      return reply.status === 200;
    } catch {
      if (startedAfterSignal) tally.refused++;
      else tally.lost++;
      return false;
    }
  };
  const caller = async (first: number) => {
    for (let id = first; id < first + 1_000; id++) if (!(await call(id))) return;
  };
  const callersDone = Promise.all(Array.from({ length: callers }, (_, index) => caller(index * 1_000)));
  // Stop while every caller has at least one response and another call in flight, however slow the machine is.
  while (tally.finished <= callers * 2 && tally.lost + tally.refused === 0) await setTimeout(10);
  const exit = once(child, "exit");
  stopping = true;
  child.kill("SIGTERM");
  const [exitCode] = (await exit) as [number | null];
  await callersDone;
  return { ...tally, exitCode };
}

/** Stops a server twice during a call. Returns the exit code, and true if the call received a response. */
export async function stopTwice(): Promise<{ readonly exitCode: number | null; readonly replied: boolean }> {
  const { url, child, lines } = await startLoadServer();
  const started = once(lines, "line");
  const replied = post(url, false, callEcho(1, { text: "x", afterMs: NEVER_MS }, true), CALL_HEADERS).then(
    () => true,
    () => false,
  );
  await started;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  while (!(await isStopping(url))) await setTimeout(10);
  child.kill("SIGTERM");
  const [exitCode] = (await exit) as [number | null];
  return { exitCode, replied: await replied };
}

/** Returns true if the server rejects new calls or connections. */
function isStopping(url: string): Promise<boolean> {
  return post(url, false, callEcho(2, { text: "x" }, true), CALL_HEADERS).then(
    ({ status }) => status === 503,
    () => true,
  );
}

/** Heap sizes in bytes: before many sessions were opened, while they were open, and after they expired. */
export interface HeapReading {
  readonly before: number;
  readonly withSessions: number;
  readonly after: number;
  readonly left: number;
}

/** Opens idle sessions, lets them expire, and measures the heap. */
export async function readIdleSessions(count: number): Promise<HeapReading> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", compileProgram(LOAD_SESSIONS), String(count)],
    { cwd: ROOT },
  );
  return JSON.parse(stdout) as HeapReading;
}

/** Request that opens a session. */
export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "load", version: "1" } },
};

/** Creates a call of `echo`. */
export function callEcho(id: number, args: object, isModern: boolean): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "echo", arguments: args, ...(isModern ? { _meta } : {}) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

/** Sends a message and returns the response. */
export function post(
  url: string,
  agent: Agent | false,
  message: object,
  headers: Readonly<Record<string, string>>,
): Promise<PostReply> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(message);
    const outgoing = request(
      url,
      {
        method: "POST",
        agent,
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        const chunks: string[] = [];
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const session = response.headers["mcp-session-id"];
          resolve({
            status: response.statusCode ?? 0,
            text: chunks.join(""),
            session: typeof session === "string" ? session : undefined,
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
