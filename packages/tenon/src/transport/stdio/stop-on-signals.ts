/**
 * @fileoverview Shuts down a server when the process receives SIGINT or SIGTERM.
 * @module tenon/transport/stdio/stop-on-signals
 */

/** Server that can be stopped. */
export interface Stoppable {
  /** Resolves when the server has stopped. */
  readonly closed: Promise<void>;
  /** Stops the server and rejects new work. */
  readonly close: () => Promise<void>;
  /** Announces the end of the server, and resolves when load balancers have had time to notice it. */
  readonly drain?: () => Promise<void>;
}

/** Stops a server on the first SIGINT or SIGTERM, and exits the process on the second. SIGTERM drains it first. */
export function stopOnSignals(server: Stoppable): void {
  let isStopping = false;
  const stop = async (drain: Stoppable["drain"]) => {
    if (isStopping) process.exit(130);
    isStopping = true;
    await drain?.();
    await server.close();
  };
  const onInterrupt = () => void stop(undefined);
  const onTerminate = () => void stop(server.drain);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  void server.closed.then(() => {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
  });
}
