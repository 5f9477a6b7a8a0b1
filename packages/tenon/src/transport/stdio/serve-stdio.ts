/**
 * @fileoverview `serveStdio`: runs a server on the process's streams or any pair of byte streams, without loading HTTP.
 * @module transport/stdio/serve-stdio
 */
import type { Readable, Writable } from "node:stream";
import type { Connection, ConnectionOptions } from "../../core/wire/connection.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { MessageLimits } from "../../protocol/index.js";
import { assertLimits } from "../check-limits.js";
import { createDefaultLog, printToStderr } from "../default-log.js";
import { untilIdle } from "../until-idle.js";
import type { OptionsFor } from "../options-for.js";
import { stdioStartLine } from "../start-line.js";
import { protectOutput } from "./protected-stdout.js";
import { StdioConnection } from "./stdio-connection.js";
import { type Stoppable, stopOnSignals } from "./stop-on-signals.js";

/** Options for `serveStdio`. */
export interface StdioOptions<Context> {
  /**
   * Stream to read messages from. It is paused while the client is not reading replies.
   * @default process.stdin, which is destroyed at the end because it would keep the process running
   */
  readonly input?: Readable;
  /**
   * Stream to write messages to. It stays open at the end. Nothing else may write to it.
   * @default process.stdout; until the end, everything else that the process writes to it, such as `console.log`, goes
   * to standard error
   */
  readonly output?: Writable;
  /** Application context for every request. */
  readonly context?: Context;
  /** Message limits. */
  readonly limits?: Partial<MessageLimits>;
  /** Connection options. */
  readonly connection?: ConnectionOptions;
  /**
   * Maximum number of bytes queued for a client that is not reading. Beyond this limit, the connection is closed.
   * @default 67108864
   */
  readonly maxQueueBytes?: number;
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true if `input` is not set
   */
  readonly signals?: boolean;
  /**
   * Prints one line to standard error if standard input is a terminal, where the server would seem to hang.
   * @default true
   */
  readonly banner?: boolean;
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
 * @throws if an option is unknown or invalid
 */
export function serveStdio<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, StdioOptions<NoInfer<Context>>>
): StdioTransport {
  const options: StdioOptions<Context> = rest[0] ?? {};
  assertStdioOptions(options);
  const { input = process.stdin, output = process.stdout, banner = true } = options;
  const ownsProcess = options.input === undefined;
  const hosted = toServer<Context, Tools>(server);
  hosted.useLog?.(createDefaultLog(printToStderr));
  hosted.start?.();
  const { write, release } = protectOutput(output);
  const onClosed = async () => {
    if (ownsProcess) {
      hosted.close();
      input.destroy();
      await untilIdle(hosted, GRACE_MS);
    }
    release();
  };
  const transport = new StdioConnection<Context>(hosted, { ...options, input, output, write, onClosed });
  if (options.signals ?? ownsProcess) stopOnSignals(transport);
  if (banner && input === process.stdin && process.stdin.isTTY) {
    printToStderr(stdioStartLine(hosted));
  }
  return transport;
}

/** Time in milliseconds that tasks get to finish after the connection has closed. */
const GRACE_MS = 10_000;

const NAMES: OptionNames<StdioOptions<unknown>> = {
  input: true,
  output: true,
  context: true,
  limits: true,
  connection: true,
  maxQueueBytes: true,
  signals: true,
  banner: true,
  onError: true,
};

const CONNECTION_NAMES: OptionNames<ConnectionOptions> = {
  pushes: true,
  era: true,
  revision: true,
  maxCalls: true,
  maxSubscriptions: true,
  maxQuestions: true,
};

const ALIASES = { stdin: "input", stdout: "output", ctx: "context", maxBytes: "limits" };

function assertStdioOptions<Context>(options: StdioOptions<Context>): void {
  assertKnownOptions(options, { label: "serveStdio", names: NAMES, aliases: ALIASES });
  assertLimits(options.limits, "serveStdio");
  if (options.connection !== undefined) {
    const rule = { label: "serveStdio: `connection`", names: CONNECTION_NAMES };
    assertKnownOptions(options.connection, rule);
  }
}
