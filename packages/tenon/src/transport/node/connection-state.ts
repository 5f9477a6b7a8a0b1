/**
 * @fileoverview State of connections that only Node's HTTP parsers know. A server that stops uses it to respond to
 * every request that it has received. This relies on undocumented Node behavior. On a runtime without it, a connection
 * counts as idle as soon as it has no traffic.
 * @module tenon/transport/node/connection-state
 */
import type { IncomingMessage, RequestListener, Server as HttpServer } from "node:http";
import type { Socket } from "node:net";

/** Parsers of a server that wait for the rest of a request, or for the first byte of a connection. */
export type WaitingParsers = ReadonlySet<unknown>;

/** Returns the parsers that wait for the rest of a request. */
export function findWaitingParsers(server: object | undefined): WaitingParsers {
  if (server === undefined) return NONE;
  listKey ??= Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === "http.server.connections",
  );
  // Safe: every property is optional
  const list = listKey && (server as Readonly<Record<symbol, ConnectionsList | undefined>>)[listKey];
  return new Set(list?.active?.());
}

/** Returns true if a connection has a request without a complete response, or a part of a request. */
export function isBusy(socket: Socket, waiting: WaitingParsers): boolean {
  return (
    socket.writableLength > 0 ||
    // Node stops reading while responses wait for the client. More requests may have arrived since then.
    socket.isPaused() ||
    (stateOf(socket)._httpMessage ?? null) !== null ||
    isReceiving(socket, waiting)
  );
}

/** Returns true if a request is complete and no part of another one has arrived on its connection. */
export function isLastRequest(request: IncomingMessage): boolean {
  const { socket } = request;
  const { parser, server } = stateOf(socket);
  const incoming = parser?.incoming ?? request;
  return incoming === request && !socket.isPaused() && !isReceiving(socket, findWaitingParsers(server));
}

/**
 * Closes each connection with its next response, which announces it. Otherwise, a client behind a balancer of connections,
 * as in Kubernetes, would use its connection until the server rejects a request. A connection on which further requests
 * have arrived stays open for them.
 *
 * @param handler listener of the server for requests
 */
export function closeWithResponses(server: HttpServer, handler: RequestListener): void {
  server.off("request", handler);
  server.on("request", (request, response) => {
    const handle = () => {
      if (isLastRequest(request)) response.setHeader("connection", "close");
      handler(request, response);
    };
    // Node has then parsed all requests that it has received together with this one.
    setImmediate(() => setImmediate(handle));
  });
}

/** Returns true if part of a request has arrived. */
function isReceiving(socket: Socket, waiting: WaitingParsers): boolean {
  return socket.bytesRead > 0 && waiting.has(stateOf(socket).parser);
}

const NONE: WaitingParsers = new Set();

/** Property in which Node's servers hold their connections. */
let listKey: symbol | undefined;

/** List of connections of Node's HTTP server. */
interface ConnectionsList {
  readonly active?: () => Iterable<unknown>;
}

/** Properties of a socket that Node's HTTP server sets. Node's types do not declare them. */
interface HttpSocket {
  /** Response that is being written. */
  readonly _httpMessage?: object | null;
  readonly server?: object;
  readonly parser?: {
    /** The latest request whose headers are complete. */
    readonly incoming?: object | null;
  } | null;
}

function stateOf(socket: Socket): HttpSocket {
  return socket as HttpSocket; // Safe: every property is optional
}
