/**
 * @fileoverview Options for `serveStdio`.
 * @module tenon/transport/stdio/stdio-options
 */
import type { Readable, Writable } from "node:stream";
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { callback, custom, flag, number, object, oneOf } from "@tenon/internal/options/option-rows";
import { CONNECTION_OPTIONS } from "../../core/wire/connection.js";
import { MESSAGE_LIMITS } from "../../protocol/parse.js";

/** Options for `serveStdio`. */
export const STDIO_OPTIONS = /* @__PURE__ */ defineOptions("serveStdio", {
  /**
   * Stream to read messages from. It is paused while the client is not reading replies.
   * @default process.stdin, which is destroyed at the end because it would keep the process running
   */
  input: custom<Readable>({ aliases: ["stdin"] }),
  /**
   * Stream to write messages to. It stays open at the end. Nothing else may write to it.
   * @default process.stdout; until the end, everything else that the process writes to it, such as `console.log`, goes
   * to standard error
   */
  output: custom<Writable>({ aliases: ["stdout"] }),
  /** Application context for every request. */
  context: custom<unknown>({ aliases: ["ctx"] }),
  /** Message limits. */
  limits: object(MESSAGE_LIMITS, { aliases: ["maxBytes"] }),
  /**
   * Reaction to a message larger than `limits.maxBytes`. `reject` sends an error without an ID, which clients cannot match
   * to their request. `close` closes the connection, so that all requests of the client fail.
   * @default "reject"
   */
  oversized: oneOf(["reject", "close"], { default: "reject" }),
  /** Connection options. */
  connection: object(CONNECTION_OPTIONS),
  /**
   * Maximum number of bytes queued for a client that is not reading. A response that does not fit is replaced by an
   * error, a request to the client fails in the handler, and a notification is dropped.
   * @default 67108864
   */
  maxQueueBytes: number({ default: 64 * 1_048_576 }),
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true if `input` is not set
   */
  signals: flag(),
  /**
   * Prints one line to standard error if standard input is a terminal, where the server would seem to hang.
   * @default true
   */
  banner: flag({ default: true }),
  /** Called with stream errors, and with the reason if a message does not fit in the queue. Never with its contents. */
  onError: callback<(error: unknown) => void>(),
});

/** Options for `serveStdio` and a server with the given context. */
export interface StdioOptions<Context> extends OptionsOf<typeof STDIO_OPTIONS> {
  readonly context?: Context;
}

/** Options for `serveStdio` with their defaults. */
export type StdioSettings = ParsedOptions<typeof STDIO_OPTIONS>;
