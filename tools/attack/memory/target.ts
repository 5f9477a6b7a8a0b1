/**
 * @fileoverview Starts the attacked server with a small heap, opens the attackers' sockets, and runs a regular client
 * that calls a tool continuously.
 * @module tools/attack/memory/target
 */
import { Buffer } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../../tools/compile-program.js";
import { limitedNode } from "../../limited-node.js";
import { RegularClient } from "../clients/regular-client.js";

/** Transport that the attacked server uses. */
export type Mode = "serve" | "fetch" | "stdio";

/** Statistics about the regular client's calls. */
export interface HonestRecord {
  answered: number;
  slowestMs: number;
  failure: string | undefined;
}

const REVISION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "client", version: "1" },
};

/** Creates the JSON text of a stateless call. */
export function callBody(name: string, args: object, id: number, meta: object = {}): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: { ...META, ...meta } },
  });
}

/** Creates the JSON text of a call in a legacy session. */
export function legacyCallBody(name: string, args: object, id: number): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}

/** Creates the text of an HTTP request. With a `Transfer-Encoding` header, the length is omitted. */
export function httpPost(body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({
    Host: "localhost",
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(headers["Transfer-Encoding"] === undefined
      ? { "Content-Length": String(Buffer.byteLength(body)) }
      : {}),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return ["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n");
}

/** Creates the text of a stateless call as an HTTP request. */
export function httpCall(name: string, args: object, id = 1, meta: object = {}): string {
  return httpPost(callBody(name, args, id, meta), {
    "MCP-Protocol-Version": REVISION,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  });
}

/** Server process with a small heap that is reached over HTTP. */
export class HttpTarget {
  readonly honest: HonestRecord = { answered: 0, slowestMs: 0, failure: undefined };
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #sockets: Socket[] = [];
  readonly #leave = new AbortController();
  readonly #calls: Promise<void>;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    this.#calls = this.#callHonestly();
  }

  static async start(mode: Mode, heapMegabytes: number, spareMegabytes?: number): Promise<HttpTarget> {
    const child = spawnServer(mode, { heapMegabytes, spareMegabytes });
    if (child.stdout === null) throw new Error("The server process's standard output is not piped.");
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    return new HttpTarget(child, line);
  }

  /** Describes how the process ended, if it has. */
  get death(): string | undefined {
    return describeExit(this.#child);
  }

  /** Opens a socket. By default, it does not read. */
  async connect(reads = false): Promise<Socket> {
    const socket = connect(Number(new URL(this.url).port), "127.0.0.1");
    this.#sockets.push(socket);
    socket.on("error", () => {}); // the server may disconnect attackers
    await Promise.race([once(socket, "connect"), sleep(60_000)]);
    if (reads) socket.resume();
    return socket;
  }

  /** Posts a message and returns the response. The request times out after two minutes. */
  async post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const init = {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetch(this.url, { ...init, signal: AbortSignal.timeout(120_000) });
      } catch (error) {
        // While this process creates a large message, the server may close the idle connection that is then used.
        if (attempt === 3 || this.death !== undefined || !isDisconnect(error)) throw error;
      }
    }
  }

  /** Posts a stateless call and returns the response. */
  async call(name: string, args: object, meta: object = {}): Promise<Response> {
    return this.post(callBody(name, args, 1, meta), {
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call",
      "mcp-name": name,
    });
  }

  /** Returns the number of running calls, of open connections, or of all connections, as the server reports it. */
  async count(name: "running" | "connections" | "accepted"): Promise<number> {
    const reply = await (await this.call(name, {})).text();
    const [, digits] = /"text":"(\d+)"/.exec(reply) ?? [];
    if (digits === undefined) throw new Error(`The server reported ${reply.slice(0, 200)}`);
    return Number(digits);
  }

  /** Returns the process's peak resident memory in megabytes. */
  async peakMegabytes(): Promise<number> {
    const { readFile } = await import("node:fs/promises");
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** Ends the attack: closes its sockets, and stops the regular client and the process. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await sleep(200);
    this.#leave.abort();
    await this.#calls;
    if (this.death !== undefined) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #callHonestly(): Promise<void> {
    const client = new RegularClient(Number(new URL(this.url).port));
    while (!this.#leave.signal.aborted && this.honest.failure === undefined) {
      const { ms, failure } = await client.call();
      if (failure !== undefined) this.honest.failure = `${failure} ${this.death ?? ""}`.trimEnd();
      this.honest.answered++;
      this.honest.slowestMs = Math.max(this.honest.slowestMs, ms);
      await sleep(20);
    }
    client.close();
  }
}

/** Server process with a small heap that is reached over stdio. */
export class StdioTarget {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: string) => void>();
  readonly #ended: Promise<string>;
  #lastId = 1_000_000;

  constructor(heapMegabytes: number) {
    const child = spawnServer("stdio", { heapMegabytes });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => resolve(this.death ?? "the process exited"));
    });
    const { stdout, stdin } = this.#child;
    if (stdout === null || stdin === null)
      throw new Error("The server process's standard streams are not piped.");
    stdin.on("error", () => {}); // the exit event reports a process that ended
    let text = "";
    stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    });
  }

  /** Describes how the process ended, if it has. */
  get death(): string | undefined {
    return describeExit(this.#child);
  }

  /** Resumes or pauses reading of the server's output. */
  reads(isReading: boolean): void {
    if (isReading) this.#child.stdout?.resume();
    else this.#child.stdout?.pause();
  }

  /** Writes text unchanged, and waits if the pipe is full. */
  async write(text: string | Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin?.write(text) === false && this.death === undefined) await drained(stdin);
  }

  /** Sends a request and resolves to the response, or to the reason that none arrived. */
  async request(method: string, params: object): Promise<string> {
    const id = ++this.#lastId;
    const reply = new Promise<string>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return Promise.race([reply, sleep(120_000, "no response within 120 s", { ref: false }), this.#ended]);
  }

  async stop(): Promise<void> {
    if (this.death !== undefined) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  #take(line: string): void {
    // The response to a message that was rejected before parsing has no ID, so every waiting request receives it.
    const [, id] = /"id":(\d+|null)/.exec(line.slice(0, 100)) ?? [];
    for (const [waiting, resolve] of this.#waiting) {
      if (id !== "null" && Number(id) !== waiting) continue;
      this.#waiting.delete(waiting);
      resolve(line);
    }
  }
}

/** Waits until a stream drains or closes, for at most `patienceMs` milliseconds. */
export async function drained(stream: Writable, patienceMs = 2_000): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const events = ["drain", "close"].map((name) => once(stream, name, { signal }));
  await Promise.race([...events, sleep(patienceMs, undefined, { signal })]).catch(() => undefined);
  for (const event of events) event.catch(() => undefined);
  stop.abort();
}

/** Settings of the attacked process. */
interface ServerSettings {
  /** @default 512 */
  readonly heapMegabytes?: number;
  /** Address space besides that of an idle Node process. @default unlimited */
  readonly spareMegabytes?: number | undefined;
  /** Short write timeout of the memory attacks, or the default limits. @default short */
  readonly limits?: "short" | "defaults";
}

/** Starts the server. */
export function spawnServer(
  mode: Mode,
  { heapMegabytes = 512, spareMegabytes, limits = "short" }: ServerSettings = {},
): ChildProcess {
  const server = fileURLToPath(new URL("server.ts", import.meta.url));
  const program = compileProgram(server, "built");
  const flags = [`--max-old-space-size=${heapMegabytes}`, program, mode, limits];
  const [node, args] = limitedNode(flags, spareMegabytes);
  return spawn(node, args, { stdio: ["pipe", "pipe", "ignore"] });
}

function describeExit({ exitCode, signalCode }: ChildProcess): string | undefined {
  return exitCode === null && signalCode === null
    ? undefined
    : `the process exited (${signalCode ?? `code ${exitCode}`})`;
}

/** Returns true for the error of a request whose connection was closed. */
function isDisconnect(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET";
}
