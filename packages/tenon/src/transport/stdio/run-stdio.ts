/**
 * @fileoverview A server on the process's own streams, stopped in good order by a signal. Nothing of HTTP is loaded for
 * it.
 * @module transport/stdio/run-stdio
 */
import type { Readable, Writable } from "node:stream";
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { serveStdio } from "./serve-stdio.js";

/** How to serve on stdio. */
export interface RunStdioOptions<Context> {
  /** The application's value for every request. */
  readonly context?: Context;
  /**
   * Whether SIGINT and SIGTERM stop the server; a second one ends the process at once.
   * @default true
   */
  readonly signals?: boolean;
}

/** What can be stopped. */
export interface Stoppable {
  /** Resolves when it has stopped. */
  readonly closed: Promise<void>;
  /** Stops it: nothing new is taken. */
  close(): Promise<void>;
}

/**
 * Serves on stdio, and nowhere else: what `serve` of `tenon/node` does without a port, loaded faster.
 *
 * @example await serve(server);
 */
export function serve<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  options: RunStdioOptions<Context> = {},
): Promise<Stoppable> {
  const running = runStdio<Context>(toServer(server), options);
  if (options.signals ?? true) stopOnSignals(running);
  return Promise.resolve(running);
}

/** Connects a server to the process's own streams. */
export function runStdio<Context>(
  server: HostedServer<Context>,
  { context }: Pick<RunStdioOptions<Context>, "context">,
): Stoppable {
  const { input, output } = processStreams();
  const wire = serveStdio(server, { input, output, ...(context === undefined ? {} : { context }) });
  const closed = wire.closed.then(() => {
    server.close();
    input.destroy();
  });
  const close = async () => {
    await wire.close();
    await closed;
  };
  return { closed, close };
}

/** The process's own streams. An open stdin would keep the process, so that it is let go at the end. */
export function processStreams(): { readonly input: Readable; readonly output: Writable } {
  return { input: process.stdin, output: process.stdout };
}

/** Stops a server at the first signal, and ends the process at the second. */
export function stopOnSignals(running: Stoppable): void {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(130);
    asked = true;
    void running.close();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  void running.closed.then(() => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  });
}
