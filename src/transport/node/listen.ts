/**
 * @fileoverview An HTTP server on a port, with the time-outs and the manners it should have.
 * @module transport/node/listen
 */
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";

/** Where to listen. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** Must be set where other machines can reach the address. */
  readonly allowedHosts: readonly string[] | undefined;
}

/** A server that listens. */
export interface Listening {
  readonly server: HttpServer;
  /** The port it got. */
  readonly port: number;
  /** Resolves when it has stopped. */
  readonly closed: Promise<void>;
  /** Stops it. Replies on their way to slow readers have until `deadline`, in milliseconds since the epoch. */
  close(deadline?: number): Promise<void>;
}

/** A client must send its headers, and then its body, in reasonable time: stops slow-loris attacks. */
const TIME_OUTS = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

/** Starts to listen. @throws where the port is taken, or the address needs `allowedHosts` */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { port, host, allowedHosts } = options;
  if (!isLoopback(host) && allowedHosts === undefined) {
    throw new Error(
      `Listening on ${host} can be reached by other machines: set allowedHosts to the names it is reached under`,
    );
  }
  const server = createServer(TIME_OUTS, handler);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const address = server.address();
  return {
    server,
    port: typeof address === "object" && address !== null ? address.port : port,
    closed,
    async close(deadline = 0) {
      server.close();
      // Till the deadline only connections with nothing to send end.
      const sweep = () =>
        Date.now() < deadline ? server.closeIdleConnections() : server.closeAllConnections();
      const timer = setInterval(sweep, 10);
      sweep();
      await closed;
      clearInterval(timer);
    },
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
