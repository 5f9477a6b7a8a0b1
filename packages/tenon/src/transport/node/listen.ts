/**
 * @fileoverview `listen`: an HTTP server on a port, with time-outs and an orderly end.
 * @module transport/node/listen
 */
import type { RequestListener } from "node:http";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { Listening, ListenOptions } from "./http-listener.js";

/**
 * Serves HTTP on a port. Clients that send their headers or bodies too slowly are disconnected.
 *
 * @example const { port, close } = await listen(toNodeHandler(server), { port: 3000 });
 * @throws if the port is taken, or other machines can reach the address and `allowedHosts` is not set
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { host = "127.0.0.1", allowedHosts } = options;
  if (!isLoopbackHost(host) && allowedHosts === undefined) {
    throw new Error(
      `Listening on ${host} can be reached by other machines: set allowedHosts to the names it is reached under`,
    );
  }
  // Node's HTTP takes longer to load than all of Tenon, and a server on stdio does without it.
  const { startListener } = await import("./http-listener.js");
  return startListener(handler, { ...options, host });
}
