/**
 * @fileoverview HTTP server behind `listen`. It is a separate module because it loads `node:http`.
 * @module tenon/transport/node/http-listener
 */
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { findWaitingParsers, isBusy, type WaitingParsers } from "./connection-state.js";
import { DirectRequest, supportsDirectRequests } from "./direct-request.js";
import type { ListenSettings } from "./listen-options.js";

/** Running HTTP server. */
export interface Listening {
  readonly server: HttpServer;
  /** Port that the server listens on. */
  readonly port: number;
  /** Resolves when the server has stopped. */
  readonly closed: Promise<void>;
  /**
   * Stops the server. Requests and responses in transfer have until `deadline`, in milliseconds since the epoch.
   * @default 0
   */
  readonly close: (deadline?: number) => Promise<void>;
}

/** Timeouts for receiving headers and bodies, in milliseconds. They stop slow-loris attacks. */
const TIME_OUTS = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

/** Starts the server. @throws an error with a sentence and the system's `code` if the address cannot be used */
export async function startListener(
  handler: RequestListener,
  { port, host, directBodies }: ListenSettings,
): Promise<Listening> {
  const isDirect = directBodies && supportsDirectRequests();
  const server = createServer(
    isDirect ? { ...TIME_OUTS, IncomingMessage: DirectRequest } : TIME_OUTS,
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(describeListenError(error, port, host));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
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
      // Errors for calls that did not end in time still reach their clients.
      if (deadline > 0) await settle(server, sockets, Math.max(deadline, Date.now() + LAST_WRITES_MS));
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Explains why the server cannot listen. The error has no stack and no visible `code`: in a program that does not catch
 * it, Node would print them after the sentence.
 */
function describeListenError(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  const problem = listenProblem(cause.code, port, host);
  const error =
    problem === undefined
      ? new Error(`Could not listen on ${host}, port ${port}: ${cause.message}`, { cause })
      : new Error(problem);
  error.stack = String(error);
  return Object.defineProperty(error, "code", { value: cause.code });
}

function listenProblem(code: string | undefined, port: number, host: string): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return (
        `Port ${port} is already in use on ${host}. ` +
        "Stop the other process, or choose a different port (0 picks a free port)."
      );
    case "EACCES":
      return `Port ${port} requires administrator privileges. Choose a port above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `This machine does not have the address ${host}. Set \`host\` to one of its addresses.`;
    default:
      return undefined;
  }
}

/** Minimum time for the last responses in milliseconds. */
const LAST_WRITES_MS = 200;

/** Time without traffic after which a connection is closed, and the maximum wait for that, in milliseconds. */
const QUIET_MS = 100;
const SETTLE_MS = 2_000;

/**
 * Waits until no connection has a request without a response, or part of a request. After that, a connection closes when
 * it has no traffic for a moment, because a request may be on its way. Node would close such connections at once, and
 * those with a response in transfer to a slow reader.
 */
async function settle(server: HttpServer, sockets: ReadonlySet<Socket>, deadline: number): Promise<void> {
  const seen = new Map<Socket, { bytes: number; since: number }>();
  const patience = Math.min(Date.now() + SETTLE_MS, deadline);
  const moves = (socket: Socket, waiting: WaitingParsers): boolean => {
    const now = Date.now();
    if (isBusy(socket, waiting)) return now < deadline;
    const before = seen.get(socket);
    if (before?.bytes !== socket.bytesRead) {
      seen.set(socket, { bytes: socket.bytesRead, since: now });
      return now < patience;
    }
    return now < Math.min(before.since + QUIET_MS, patience);
  };
  let isMoving = true;
  while (isMoving) {
    // The first wait also lets Node accept connections that the operating system has established.
    await setTimeout(10);
    const waiting = findWaitingParsers(server);
    isMoving = [...sockets].some((socket) => moves(socket, waiting));
  }
}
