/**
 * @fileoverview Starts a program and measures the time until its first response, over stdio or HTTP.
 * @module bench/lib/first-response
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { INITIALIZE } from "./cases.js";
import { onServerCore } from "./cores.js";
import { BUILD } from "./paths.js";
import { processCpuUs } from "./process-cpu.js";

/** Transport of a program. Over HTTP, the program prints its port. */
export type StartTransport = "stdio" | "http";

/** Time until the first response, and the CPU time of the process. */
export interface Start {
  readonly wallMs: number;
  /** CPU time in milliseconds, if the system reports it. */
  readonly cpuMs: number;
}

type Program = ChildProcessByStdio<Writable, Readable, null>;

const PATIENCE_MS = 20_000;

/** Starts a program of `hello/`, and sends it one request. @throws if the response is not a result */
export async function firstResponse(name: string, transport: StartTransport): Promise<Start> {
  const folder = transport === "stdio" ? "hello" : "hello-http";
  const [program, args] = onServerCore(process.execPath, [`${BUILD}/${folder}-${name}.js`]);
  const start = performance.now();
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const gone = new Promise<never>((_, reject) => {
    child.on("exit", (code) => reject(new Error(`${name} exited with ${code} before its first response.`)));
  });
  gone.catch(() => undefined);
  try {
    const text = await Promise.race([transport === "stdio" ? askStdio(child) : askHttp(child), gone]);
    const found = { wallMs: performance.now() - start, cpuMs: readCpuMs(child.pid) };
    if (!text.includes('"result"')) throw new Error(`No response: ${text.slice(0, 100)}`);
    return found;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await gone.catch(() => undefined);
  }
}

function askStdio(child: Program): Promise<string> {
  const line = firstLine(child.stdout);
  child.stdin.on("error", () => {});
  child.stdin.write(`${INITIALIZE}\n`);
  return line;
}

async function askHttp(child: Program): Promise<string> {
  const port = Number(await firstLine(child.stdout));
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request(port)));
    socket.setNoDelay(true).setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.includes('"jsonrpc"')) resolve(text);
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
  });
}

function request(port: number): string {
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${INITIALIZE.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${INITIALIZE}`;
}

function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n")) resolve(text);
    });
  });
}

function readCpuMs(pid: number | undefined): number {
  try {
    return processCpuUs(pid ?? 0) / 1000;
  } catch {
    return Number.NaN;
  }
}
