/**
 * @fileoverview In-memory streams for stdio transport tests: an input that can be split anywhere, and an output whose
 * reader can stop reading.
 * @module tests/support/stdio-streams
 */
import { PassThrough, Writable } from "node:stream";
import { z } from "zod";
import type { Call } from "../../packages/tenon/src/core/call/call.js";
import { defineServer } from "../../packages/tenon/src/core/define-server.js";
import type { ServerLike } from "../../packages/tenon/src/core/wire/hosted-server.js";
import type { JsonObject } from "@tenon/internal/json";
import { serveStdio } from "../../packages/tenon/src/transport/stdio/serve-stdio.js";
import type { StdioOptions } from "../../packages/tenon/src/transport/stdio/stdio-options.js";
import type { ServerMessage } from "./stdio-child.js";

/** Output that accepts chunks only while it is open. */
export class Valve extends Writable {
  /** Accepted chunks, in order. */
  readonly chunks: Uint8Array[] = [];
  /** Largest number of bytes that have been waiting at the same time. */
  peak = 0;
  #open: boolean;
  #held: (() => void) | undefined;

  constructor(options: { readonly open?: boolean; readonly highWaterMark?: number } = {}) {
    const { open = true, highWaterMark = 16_384 } = options;
    super({ highWaterMark });
    this.#open = open;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  get messages(): readonly ServerMessage[] {
    const lines = this.text.split("\n");
    if (lines.pop() !== "") throw new Error("The last line must end with a line break.");
    return lines.map((line) => JSON.parse(line) as ServerMessage);
  }

  /** Accepts all waiting and future chunks. */
  open(): void {
    this.#open = true;
    this.#held?.();
    this.#held = undefined;
  }

  /** Accepts one waiting chunk. */
  takeOne(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.peak = Math.max(this.peak, this.writableLength);
    const take = () => {
      this.chunks.push(chunk);
      done();
    };
    if (this.#open) take();
    else this.#held = take;
  }
}

/** Serves one client on in-memory streams. */
export function openStreams<Context>(
  server: ServerLike<Context>,
  options: Omit<StdioOptions<Context>, "input" | "output"> & { readonly output?: Writable } = {},
) {
  const input = new PassThrough();
  const output = new Valve();
  const errors: unknown[] = [];
  const transport = serveStdio(server, {
    input,
    output,
    onError: (error) => errors.push(error),
    ...options,
    context: options.context as Context, // undefined is valid if the server declares no context
  });
  return { input, output, errors, transport };
}

/** Formats a message as a line. */
export function line(message: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** Waits until all pending work has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** `initialize` request for a legacy session. */
export const INITIALIZE = line({
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { sampling: {} },
    clientInfo: { name: "streams", version: "1.0.0" },
  },
});

/** Formats a ping as a line. */
export const ping = (id: number | string): string => line({ id, method: "ping" });

/** Formats a tool call as a line. */
export const call = (id: number, name: string, args: JsonObject = {}): string =>
  line({ id, method: "tools/call", params: { name, arguments: args } });

/** Creates a server with an echo tool, and a tool `run` with the given handler. */
export function serverOf(handler: (call: Call) => unknown = () => "done") {
  return defineServer({ name: "stdio", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("run", { input: z.object({}), handler: (_, one) => handler(one) as string })
    .build();
}

/** Creates a promise that the test resolves. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
