/**
 * @fileoverview Client for the fixture server: starts the server as a process, communicates over pipes, and validates
 * every line that the server writes.
 * @module tests/support/stdio-child
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@tenon/internal/json";
import { type ClientCapabilities, META, type RequestId, type Revision } from "tenon/protocol";
import { checkError, checkNotification, checkResult, checkServerRequest } from "./wire-schemas.js";
import { compileProgram } from "../../tools/compile-program.js";
import { onLines } from "./lines.js";

/** Message from the server. */
export interface ServerMessage {
  readonly jsonrpc: string;
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Exit code, signal, and duration of the server process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly milliseconds: number;
}

/** Options for starting the server. */
export interface StdioChildOptions {
  /** The server's file, in this folder. */
  readonly fixture?: string;
  /** Flags for Node.js. */
  readonly flags?: readonly string[];
}

/** Server process. */
export class StdioChild {
  readonly process: ChildProcessWithoutNullStreams;
  /** Messages from the server, in order. */
  readonly messages: ServerMessage[] = [];
  /** Lines from the server that are not valid messages in its revision. */
  readonly problems: string[] = [];
  /** Text that the server wrote to standard error. */
  errors = "";
  readonly #methods = new Map<unknown, string>();
  readonly #watchers = new Set<() => void>();
  readonly #revision: Revision;
  readonly #envelope: JsonObject | undefined;
  #lastId = 0;

  /** @param capabilities capabilities that a stateless client sends with every request */
  constructor(revision: Revision, capabilities?: ClientCapabilities, options: StdioChildOptions = {}) {
    const { fixture = "./stdio-fixture.ts", flags = [] } = options;
    this.#revision = revision;
    this.#envelope = capabilities && {
      [META.protocolVersion]: revision,
      [META.clientCapabilities]: capabilities,
    };
    this.process = spawn(process.execPath, [...flags, buildFixture(fixture)], { stdio: "pipe" });
    onLines(this.process.stdout, (line) => this.#take(line));
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
      this.#wake();
    });
    // The exit event reports a server that exited early.
    this.process.stdin.on("error", () => undefined);
  }

  /** Sends text or bytes unchanged. */
  sendRaw(data: string | Uint8Array): void {
    this.process.stdin.write(data);
  }

  /** Sends a message. */
  send(message: JsonObject): void {
    this.sendRaw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request without waiting for the response. Returns its ID. */
  start(method: string, params: JsonObject = {}): number {
    const id = ++this.#lastId;
    this.#methods.set(id, method);
    const _meta = { ...(params["_meta"] as JsonObject | undefined), ...this.#envelope };
    this.send({ id, method, params: Object.keys(_meta).length === 0 ? params : { ...params, _meta } });
    return id;
  }

  /** Sends a request and waits for the response. */
  async request(method: string, params: JsonObject = {}): Promise<ServerMessage> {
    return this.replyTo(this.start(method, params));
  }

  /** Calls a tool. */
  async call(name: string, args: JsonObject = {}, more: JsonObject = {}): Promise<ServerMessage> {
    return this.request("tools/call", { name, arguments: args, ...more });
  }

  /** Opens a legacy session. */
  async initialize(capabilities: ClientCapabilities = {}): Promise<ServerMessage> {
    const reply = await this.request("initialize", {
      protocolVersion: this.#revision,
      capabilities,
      clientInfo: { name: "pipe", version: "1.0.0" },
    });
    this.send({ method: "notifications/initialized" });
    return reply;
  }

  /** Waits for the response to a request. */
  replyTo(id: RequestId | null): Promise<ServerMessage> {
    return this.#until(() => this.messages.find((one) => one.method === undefined && one.id === id));
  }

  /** Waits for a notification or a request from the server. */
  heard(method: string): Promise<ServerMessage> {
    return this.#until(() => this.messages.find((one) => one.method === method));
  }

  /** Waits for text on standard error. */
  async noted(text: string): Promise<void> {
    await this.#until(() => (this.errors.includes(text) ? true : undefined));
  }

  /** Closes the server's input and waits until the process exits on its own. */
  async end(): Promise<Exit> {
    const began = performance.now();
    this.process.stdin.end();
    return this.exited(began);
  }

  /** Waits until the process exits. */
  async exited(since = performance.now()): Promise<Exit> {
    const { process: child } = this;
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const milliseconds = performance.now() - since;
    return { code: child.exitCode, signal: child.signalCode, milliseconds };
  }

  async #until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }

  #take(line: string): void {
    try {
      const message = JSON.parse(line) as ServerMessage | readonly ServerMessage[];
      for (const one of Array.isArray(message) ? message : [message]) this.#check(one as ServerMessage);
    } catch {
      this.problems.push(`Not a message: ${line}`);
    }
    this.#wake();
  }

  #check(message: ServerMessage): void {
    this.messages.push(message);
    if (message.jsonrpc !== "2.0") this.problems.push(`Not JSON-RPC: ${JSON.stringify(message)}`);
    const problem = this.#problemOf(message);
    if (problem !== undefined) this.problems.push(problem);
  }

  #problemOf(message: ServerMessage): string | undefined {
    const { id, method, result } = message;
    if (method !== undefined) {
      const check = id === undefined ? checkNotification : checkServerRequest;
      return check(this.#revision, message);
    }
    // An error reply to an unreadable request has a null ID, which older schemas do not allow.
    if (result === undefined) return id === null ? undefined : checkError(this.#revision, message);
    return checkResult(this.#revision, this.#methods.get(id) ?? "", result);
  }
}

/** Compiles a fixture, whose path is absolute or relative to this folder. */
export function buildFixture(source: string): string {
  return compileProgram(fileURLToPath(import.meta.resolve(source)));
}
