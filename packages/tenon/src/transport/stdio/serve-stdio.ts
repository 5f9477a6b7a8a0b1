/**
 * @fileoverview `serveStdio`: runs a server on the process's streams or any pair of byte streams, without loading HTTP.
 * @module tenon/transport/stdio/serve-stdio
 */
import type { Connection } from "../../core/wire/connection.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { parseOptions } from "@tenon/internal/options/define-options";
import { fileReasonOf } from "@tenon/internal/files/file-error";
import { printableLine } from "@tenon/internal/text";
import { codeOf, messageOf } from "@tenon/internal/thrown";
import { createDefaultLog, printToStderr, toLogLine } from "../default-log.js";
import { untilIdle } from "../until-idle.js";
import type { OptionsFor } from "../options-for.js";
import { stdioStartLine } from "../start-line.js";
import { protectOutput } from "./protected-stdout.js";
import { StdioConnection } from "./stdio-connection.js";
import { STDIO_OPTIONS, type StdioOptions } from "./stdio-options.js";
import { type Stoppable, stopOnSignals } from "./stop-on-signals.js";

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
  const settings = parseOptions(STDIO_OPTIONS, options);
  const { input = process.stdin, output = process.stdout, banner } = settings;
  const ownsProcess = settings.input === undefined;
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
  const onError = settings.onError ?? printOwnError;
  const transport = new StdioConnection<Context>(hosted, {
    ...settings,
    input,
    output,
    write,
    onError,
    onClosed,
  });
  if (settings.signals ?? ownsProcess) stopOnSignals(transport);
  if (banner && input === process.stdin && process.stdin.isTTY) {
    printToStderr(stdioStartLine(hosted));
  }
  return transport;
}

/**
 * Prints an error of the connection. Other errors of the streams than those of a file system only show that the client
 * has left.
 */
function printOwnError(error: unknown): void {
  const reason = fileReasonOf(error);
  if (reason !== undefined) printToStderr(toLogLine(`The connection over stdio has ended: ${reason}.`));
  else if (codeOf(error) === undefined)
    printToStderr(toLogLine(printableLine(messageOf(error) ?? "Unknown error")));
}

/** Time in milliseconds that tasks get to finish after the connection has closed. */
const GRACE_MS = 10_000;
