/**
 * @fileoverview `serveStdio`: a server on the process's own streams, or on any pair of byte streams. Nothing of HTTP is
 * loaded for it.
 * @module transport/stdio/serve-stdio
 */
import type { Readable, Writable } from "node:stream";
import type { Connection, ConnectionOptions } from "../../core/wire/connection.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import type { MessageLimits } from "../../protocol/index.js";
import { StdioConnection } from "./stdio-connection.js";
import { type Stoppable, stopOnSignals } from "./stop-on-signals.js";

/** Settings of `serveStdio`. */
export interface StdioOptions<Context> {
  /**
   * The stream that messages are read from. It is paused while the client does not read its replies.
   * @default process.stdin, which is destroyed at the end because it would keep the process running
   */
  readonly input?: Readable;
  /**
   * The stream that messages are written to. It stays open at the end. Nothing else may write to it.
   * @default process.stdout
   */
  readonly output?: Writable;
  /** The application's value for every request. */
  readonly context?: Context;
  /** Limits of a message. */
  readonly limits?: Partial<MessageLimits>;
  /** Settings of the connection. */
  readonly connection?: ConnectionOptions;
  /**
   * Most bytes that may wait for a client that does not read; then the connection is closed.
   * @default 67108864
   */
  readonly maxQueueBytes?: number;
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal ends the process at once.
   * @default true without `input`, else false
   */
  readonly signals?: boolean;
  /** Receives problems of the streams, never the contents of messages. */
  readonly onError?: (error: unknown) => void;
}

/** An open connection to a client on stdio. */
export interface StdioTransport extends Stoppable {
  readonly connection: Connection;
  /** Resolves when the transport has ended, for whatever reason; never rejects. */
  readonly closed: Promise<void>;
  /** Ends the transport: calls in flight are cancelled, and messages that were sent are still written. */
  readonly close: () => Promise<void>;
}

/**
 * Serves one client, until its input ends, the output fails or the transport is closed. On the process's own input, the
 * server is closed at the end.
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
