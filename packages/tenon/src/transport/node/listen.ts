/**
 * @fileoverview `listen`: starts an HTTP server with timeouts and graceful shutdown.
 * @module tenon/transport/node/listen
 */
import type { RequestListener } from "node:http";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { parseOptions } from "@tenon/internal/options/define-options";
import type { Listening } from "./http-listener.js";
import { LISTEN_OPTIONS, type ListenOptions } from "./listen-options.js";

/**
 * Serves HTTP on a port. Clients that send headers or bodies too slowly are disconnected.
 *
 * @example const { port, close } = await listen(toNodeHandler(server), { port: 3000 });
 * @throws if an option is unknown or invalid, if the port is in use, or if other machines can reach the address and
 * `allowedHosts` is not set
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const settings = parseOptions(LISTEN_OPTIONS, options);
  const { host, allowedHosts } = settings;
  if (!isLoopbackHost(host) && allowedHosts === undefined) {
    throw new Error(
      `\`allowedHosts\` is required to listen on "${host}", because other machines can reach it. ` +
        "Set `allowedHosts` to the host names that clients use.",
    );
  }
  // `node:http` takes longer to load than all of Tenon, and a stdio server does not use it.
  const { startListener } = await import("./http-listener.js");
  return startListener(handler, settings);
}
