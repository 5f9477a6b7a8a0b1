/**
 * @fileoverview A load client with low overhead: plain sockets, prepared requests, and only as much HTTP parsing as is
 * needed to find the end of a response.
 * @module bench/lib/http-client
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Mode } from "../servers/contract.js";
import { type Case, INITIALIZE, INITIALIZED } from "./cases.js";
import { Checker } from "./check.js";
import { ACCEPT, requestBytes, type Target } from "./http-request.js";
import { readResponse, type ResponseView } from "./http-response.js";

/** Results of one slice. */
export interface LoadSlice {
  readonly done: number;
  readonly errors: number;
  readonly wallMs: number;
  /** Latencies in milliseconds, unsorted. */
  readonly latencies: readonly number[];
}

/** Connections to one server that stay open between slices. */
export class LoadClient {
  readonly #connections: readonly Connection[];
  readonly #checker: Checker;

  private constructor(connections: readonly Connection[], checker: Checker) {
    this.#connections = connections;
    this.#checker = checker;
  }

  /** Connects. In session mode, every connection opens its own session. */
  static async open(options: {
    readonly port: number;
    readonly mode: Mode;
    readonly load: Case;
    readonly connections: number;
    /** @default JSON and event stream, as the specification requires of clients */
    readonly accept?: string | undefined;
  }): Promise<LoadClient> {
    const { port, mode, load, connections } = options;
    const target = { port, mode, accept: options.accept ?? ACCEPT };
    const checker = new Checker(load.variants);
    const shared =
      mode === "session" ? undefined : load.variants.map((variant) => requestBytes(variant, target));
    const opened: Connection[] = [];
    for (let index = 0; index < connections; index++) {
      const connection = await Connection.open(port, checker);
      connection.requests =
        shared ??
        (await openSession(connection, target).then((session) =>
          load.variants.map((variant) => requestBytes(variant, target, session)),
        ));
      opened.push(connection);
    }
    return new LoadClient(opened, checker);
  }

  /** First wrong response, if any. */
  get firstWrong(): string | undefined {
    return this.#checker.firstWrong;
  }

  /** Returns true if both clients received the same response to the first request. */
  receivedSameAs(other: LoadClient): boolean {
    return this.#checker.receivedSameAs(other.#checker);
  }

  /** Keeps every connection busy for a time or a number of requests, and waits for the last responses. */
  async run(bound: { readonly ms: number; readonly requests?: number }): Promise<LoadSlice> {
    const start = performance.now();
    const tally: Tally = {
      done: 0,
      errors: 0,
      latencies: [],
      end: start + bound.ms,
      left: bound.requests ?? Number.POSITIVE_INFINITY,
    };
    await Promise.all(this.#connections.map((connection) => connection.run(tally)));
    const { done, errors, latencies } = tally;
    return { done, errors, wallMs: performance.now() - start, latencies };
  }

  /** Closes all connections. */
  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** Opens idle sessions. @throws if a server stops responding */
export async function openIdleSessions(port: number, count: number): Promise<void> {
  const connection = await Connection.open(port, new Checker([]));
  const target = { port, mode: "session", accept: ACCEPT } as const;
  const patience = new AbortController();
  const late = setTimeout(SESSIONS_MS, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`Could not open ${count} sessions within ${SESSIONS_MS / 1000} s.`);
  });
  late.catch(() => undefined);
  const open = async () => {
    for (let index = 0; index < count; index++) await openSession(connection, target);
  };
  try {
    await Promise.race([open(), late]);
  } finally {
    patience.abort();
    connection.close();
  }
}

const SESSIONS_MS = 60_000;

interface Tally {
  done: number;
  errors: number;
  left: number;
  readonly end: number;
  readonly latencies: number[];
}

class Connection {
  requests: readonly Buffer[] = [];
  readonly #socket: Socket;
  readonly #checker: Checker;
  #parts: Buffer[] = [];
  #have = 0;
  /** End of the current response, once it is known. */
  #need = 0;
  #next = 0;
  #sentAt = 0;
  #tally: Tally | undefined;
  #onIdle: (() => void) | undefined;
  #onBreak: ((error: Error) => void) | undefined;
  #onceText: ((view: ResponseView, buffer: Buffer) => void) | undefined;

  private constructor(socket: Socket, checker: Checker) {
    this.#socket = socket;
    this.#checker = checker;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", () => this.#fail());
    socket.on("close", () => this.#fail());
  }

  static open(port: number, checker: Checker): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.off("error", reject);
        resolve(new Connection(socket, checker));
      });
      socket.once("error", reject);
    });
  }

  /** Sends one request after another until the slice ends. */
  run(tally: Tally): Promise<void> {
    return new Promise((resolve) => {
      this.#tally = tally;
      this.#onIdle = resolve;
      if (this.#socket.destroyed) return this.#fail();
      this.#send(performance.now());
      return undefined;
    });
  }

  /** Sends one request outside the measurement. */
  ask(request: Buffer): Promise<{ readonly head: string; readonly body: string }> {
    return new Promise((resolve, reject) => {
      this.#onBreak = reject;
      this.#onceText = (view, buffer) => {
        this.#onceText = undefined;
        this.#onBreak = undefined;
        resolve({
          head: buffer.toString("latin1", 0, view.headEnd),
          body: view.body(buffer).toString(),
        });
      };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(now: number): void {
    const tally = this.#tally;
    if (tally === undefined) return;
    if (now >= tally.end || tally.left <= 0) return this.#rest();
    tally.left--;
    this.#sentAt = now;
    const request = this.requests[this.#next];
    if (request !== undefined) this.#socket.write(request);
    return undefined;
  }

  #take(chunk: Buffer): void {
    // Most responses arrive in one chunk. The chunks of a large one are concatenated once.
    this.#parts.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#need) return;
    const buffer = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    const view = readResponse(buffer);
    if (view.end === undefined || view.end > buffer.length) {
      this.#parts = [buffer];
      this.#need = view.end ?? 0;
      return;
    }
    this.#parts.length = 0;
    this.#have = 0;
    this.#need = 0;
    if (this.#onceText !== undefined) return this.#onceText(view, buffer);
    this.#count(view, buffer);
    return undefined;
  }

  #count(view: ResponseView, buffer: Buffer): void {
    const tally = this.#tally;
    if (tally === undefined) return;
    const now = performance.now();
    tally.latencies.push(now - this.#sentAt);
    tally.done++;
    const isRight =
      view.status === 200 &&
      (view.chunked
        ? this.#checkChunked(view, buffer)
        : this.#checker.takesBytes(this.#next, buffer, view.headEnd, view.end ?? 0));
    if (!isRight) tally.errors++;
    this.#next = (this.#next + 1) % this.requests.length;
    this.#send(now);
  }

  #checkChunked(view: ResponseView, buffer: Buffer): boolean {
    const body = view.body(buffer);
    return this.#checker.takesBytes(this.#next, body, 0, body.length);
  }

  #rest(): void {
    const idle = this.#onIdle;
    this.#tally = undefined;
    this.#onIdle = undefined;
    idle?.();
  }

  /** Marks the connection as broken, which counts as one error in every slice. */
  #fail(): void {
    this.#onBreak?.(new Error("The server closed the connection."));
    if (this.#tally !== undefined) {
      this.#tally.errors++;
      this.#rest();
    }
  }
}

async function openSession(connection: Connection, target: Target): Promise<string> {
  const init = { method: "initialize", name: undefined, text: INITIALIZE };
  const { head, body } = await connection.ask(requestBytes(init, target));
  const session = /^mcp-session-id: *(.+?)\r?$/im.exec(head)?.[1];
  if (session === undefined)
    throw new Error(`No session was opened: ${head.slice(0, 200)} ${body.slice(0, 200)}`);
  const done = { method: "notifications/initialized", name: undefined, text: INITIALIZED };
  await connection.ask(requestBytes(done, target, session));
  return session;
}
