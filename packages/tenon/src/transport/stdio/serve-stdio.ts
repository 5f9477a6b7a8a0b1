/**
 * @fileoverview `serveStdio`: runs a server on the process's streams or any pair of byte streams, without loading HTTP.
 * @module transport/stdio/serve-stdio
 */
import type { Readable, Writable } from "node:stream";
import type { Connection, ConnectionOptions } from "../../core/wire/connection.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import type { MessageLimits } from "../../protocol/index.js";
import { StdioConnection } from "./stdio-connection.js";
import { type Stoppable, stopOnSignals } from "./stop-on-signals.js";

/** Options for `serveStdio`. */
export interface StdioOptions<Context> {
  /**
   * Stream to read messages from. It is paused while the client does not read its replies.
   * @default process.stdin, which is destroyed at the end because it would keep the process running
   */
  readonly input?: Readable;
  /**
   * Stream to write messages to. It stays open at the end. Nothing else may write to it.
   * @default process.stdout
   */
  readonly output?: Writable;
  /** Application context for every request. */
  readonly context?: Context;
  /** Message limits. */
  readonly limits?: Partial<MessageLimits>;
  /** Connection options. */
  readonly connection?: ConnectionOptions;
  /**
   * Maximum number of bytes queued for a client that does not read. Beyond this limit, the connection is closed.
   * @default 67108864
   */
  readonly maxQueueBytes?: number;
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true without `input`, otherwise false
   */
  readonly signals?: boolean;
  /** Called with stream errors, never with message contents. */
  readonly onError?: (error: unknown) => void;
}

/** Open stdio connection to a client. */
export interface StdioTransport extends Stoppable {
  readonly connection: Connection;
  /** Resolves when the transport has ended for any reason. Never rejects. */
  readonly closed: Promise<void>;
  /** Closes the transport. Cancels calls in flight, and writes the messages that are already queued. */
  readonly close: () => Promise<void>;
}

/**
 * Serves one client until the input ends, the output fails, or the transport is closed. Without `input`, the server is
 * then closed too.
 *
 * @example await serveStdio(server).closed;
 */
export function serveStdio<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  options: StdioOptions<Context> = {},
): StdioTransport {
  const { input = process.stdin, output = process.stdout } = options;
  const ownsProcess = options.input === undefined;
  const hosted = toServer(server);
  const release = () => {
    hosted.close();
    input.destroy();
  };
  const transport = new StdioConnection<Context>(hosted, {
    ...options,
    input,
    output,
    onClosed: ownsProcess ? release : undefined,
  });
  if (options.signals ?? ownsProcess) stopOnSignals(transport);
  return transport;
}
