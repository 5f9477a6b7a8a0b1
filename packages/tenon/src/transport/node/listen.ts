/**
 * @fileoverview An HTTP server on a port, with the time-outs and the manners it should have.
 * @module transport/node/listen
 */
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";
import { type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { CAN_TAKE_DIRECTLY, DirectRequest } from "./direct-request.js";

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
  /** Stops it. What is on its way, in or out, has until `deadline`, in milliseconds since the epoch. */
  close(deadline?: number): Promise<void>;
}

/** A client must send its headers, and then its body, in reasonable time: stops slow-loris attacks. */
const TIME_OUTS = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

/** Starts to listen. @throws where the port is taken, or the address needs `allowedHosts` */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { port, host, allowedHosts } = options;
  if (!isLoopbackHost(host) && allowedHosts === undefined) {
    throw new Error(
      `Listening on ${host} can be reached by other machines: set allowedHosts to the names it is reached under`,
    );
  }
  const server = createServer(
    CAN_TAKE_DIRECTLY ? { ...TIME_OUTS, IncomingMessage: DirectRequest } : TIME_OUTS,
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const address = server.address();
  return {
    server,
    port: typeof address === "object" && address !== null ? address.port : port,
    closed,
    async close(deadline = 0) {
      await settle(sockets, deadline);
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** How long a connection must have been quiet before it is closed, and how long that is waited for. */
const QUIET_MS = 100;
const SETTLE_MS = 2_000;

/**
 * Waits until nothing moves any more. A request may still be on its way in, and is to be answered; a reply may still be
 * on its way out to a slow reader. For Node both connections are idle, and it would cut them.
 */
async function settle(sockets: ReadonlySet<Socket>, deadline: number): Promise<void> {
  const seen = new Map<Socket, { bytes: number; since: number }>();
  const patience = Math.min(Date.now() + SETTLE_MS, deadline);
  const moves = (socket: Socket): boolean => {
    const now = Date.now();
    if (socket.writableLength > 0) return now < deadline;
    const before = seen.get(socket);
    if (before?.bytes !== socket.bytesRead) {
      seen.set(socket, { bytes: socket.bytesRead, since: now });
      return now < patience;
    }
    return now < Math.min(before.since + QUIET_MS, patience);
  };
  while ([...sockets].some(moves)) await setTimeout(10);
}
