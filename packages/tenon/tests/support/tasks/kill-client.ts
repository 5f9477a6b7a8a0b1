/**
 * @fileoverview Starts the server that tests kill, and sends requests to it until it is gone.
 * @module tests/tenon/support/tasks/kill-client
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import { buildFixture } from "../../../../../tests/support/stdio-child.js";

/** Rejection of a request whose server was killed before it responded. */
export class LostServerError extends Error {}

/** Response with an error. */
export class ResponseError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface Response {
  readonly id: number;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

const ENVELOPE = {
  [META.protocolVersion]: "2026-07-28",
  [META.clientCapabilities]: {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

/** Server process. */
export class DoomedServer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<
    number,
    { readonly done: (result: JsonObject) => void; readonly failed: (error: Error) => void }
  >();
  readonly #gone: Promise<unknown>;
  #lastId = 0;
  #isGone = false;
  errors = "";

  constructor(args: readonly string[]) {
    const file = buildFixture("../../packages/tenon/tests/support/tasks/kill-server.ts");
    this.#process = spawn(process.execPath, [file, ...args], { stdio: "pipe" });
    createInterface({ input: this.#process.stdout }).on("line", (line) => this.#take(line));
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
    this.#process.stdin.on("error", () => undefined);
    this.#gone = once(this.#process, "close").then(() => {
      this.#isGone = true;
      for (const { failed } of this.#pending.values()) failed(new LostServerError("The server is gone."));
      this.#pending.clear();
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Sends a request. @throws {LostServerError} if the server is killed before it responds */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#isGone) return Promise.reject(new LostServerError("The server is gone."));
    const id = ++this.#lastId;
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: ENVELOPE } };
    return new Promise((done, failed) => {
      this.#pending.set(id, { done, failed });
      this.#process.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }

  /** Kills the process and waits until it is gone. Responses that it has written are received. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#gone;
  }

  #take(line: string): void {
    const response = parseResponse(line);
    if (response === undefined) return;
    const { id, result, error } = response;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.done(result ?? {});
    else pending?.failed(new ResponseError(error.code, error.message));
  }
}

function parseResponse(line: string): Response | undefined {
  try {
    return JSON.parse(line) as Response; // Safe: only our server writes it
  } catch {
    // The last line of a killed process may be incomplete.
    return undefined;
  }
}
