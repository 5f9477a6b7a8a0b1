/**
 * @fileoverview Shuts down a server when the process receives SIGINT or SIGTERM.
 * @module transport/stdio/stop-on-signals
 */

/** Server that can be stopped. */
export interface Stoppable {
  /** Resolves when the server has stopped. */
  readonly closed: Promise<void>;
  /** Stops the server and rejects new work. */
  readonly close: () => Promise<void>;
}

/** Stops a server on the first SIGINT or SIGTERM, and exits the process on the second. */
export function stopOnSignals(server: Stoppable): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    void server.close();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  void server.closed.then(() => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  });
}
