/**
 * @fileoverview WebSocket endpoint: accepts connections, sends heartbeats, and shuts down gracefully.
 * @module agent/socket/listener
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { WebSocket, WebSocketServer } from "ws";
import { checkHeaderCount, describeHeaderCount } from "@tenon/internal/security/header-count";
import { safeReport } from "@tenon/internal/security/safe-text";
import { SocketConnection, type FrameHandler } from "./socket-connection.js";
import { type Admission, checkAdmission } from "./admission.js";
import { Authentication, createReadToken } from "./authentication.js";
import type { Credentials } from "../users/credentials.js";
import type { FrameCheck } from "../messages/frames.js";
import type { Identify } from "../users/identify.js";
import { IncompleteMessages } from "./incomplete-messages.js";
import type { ListenSettings, ServerAddress } from "./options.js";
import { QueuedBytes } from "./queued-bytes.js";

/** Callbacks for connections and their messages. */
export interface ListenerHandler extends FrameHandler {
  readonly check: (text: string) => Promise<FrameCheck>;
  /** Called when a client has connected and, if the server requires a token, has authenticated. */
  readonly open: (connection: SocketConnection) => void;
  /** Called when a client for which `open` was called has disconnected. */
  readonly close: (connection: SocketConnection) => void;
  /** Stops background work. Called before connections are closed, so clients receive the last messages. */
  readonly stop: () => Promise<void>;
}

/** Creates a listener and binds its address. @throws if the address cannot be bound */
export async function openListener(settings: ListenSettings, handler: ListenerHandler): Promise<Listener> {
  // ws is loaded on demand: programs that use tools without a server do not require it.
  const { WebSocketServer } = await import("ws");
  const { maxPayload } = settings;
  const maxBufferedChunks = Math.max(MIN_CHUNKS, Math.ceil(maxPayload / MIN_CHUNK_BYTES));
  const sockets = new WebSocketServer({ ...SOCKET_OPTIONS, maxPayload, maxBufferedChunks });
  const http = createServer({
    headersTimeout: settings.handshakeTimeout,
    requestTimeout: settings.handshakeTimeout,
    connectionsCheckingInterval: Math.max(10, Math.ceil(settings.handshakeTimeout / 2)),
  });
  // A few clients over the limit receive a reason. Beyond that, sockets are closed without a response.
  http.maxConnections = settings.maxConnections + TOLD_APART;
  const listener = new Listener(settings, handler, { http, sockets });
  await listener.listen();
  return listener;
}

const SOCKET_OPTIONS = {
  noServer: true,
  clientTracking: false,
  // A small compressed message could expand to a large one and bypass the limits.
  perMessageDeflate: false,
  // `Outbox` sends pongs, so that unread ones take no memory.
  autoPong: false,
  closeTimeout: 5_000,
  maxFragments: 1_024,
};

/**
 * Smallest average size of the chunks in which a large message may arrive. Each chunk takes memory of its own. Network
 * packets of a large message are usually larger than 500 bytes.
 */
const MIN_CHUNK_BYTES = 256;

/** Number of chunks that any message may have. */
const MIN_CHUNKS = 4_096;

type Head = Parameters<WebSocketServer["handleUpgrade"]>[2];

/** Number of connections over the limit that still receive a response with a reason. */
const TOLD_APART = 100;

const STOP_TIMEOUT_MS = 1_000;

const INCOMPLETE = "all clients together have sent too many incomplete messages, and this one has sent most";

/** WebSocket endpoint and its connections. */
export class Listener {
  readonly #settings: ListenSettings;
  readonly #handler: ListenerHandler;
  readonly #http: HttpServer;
  readonly #sockets: WebSocketServer;
  /** Every connection, including those that have not authenticated. */
  readonly #connections = new Set<SocketConnection>();
  /** Connections that receive messages. */
  readonly #clients = new Set<SocketConnection>();
  /** Connections that have not authenticated, oldest first. */
  readonly #pending = new Map<Authentication, SocketConnection>();
  readonly #readToken = createReadToken();
  readonly #queued: QueuedBytes;
  readonly #incomplete: IncompleteMessages;
  readonly #load = { bytes: 0 };
  /** Resolve when the remaining messages of disconnected clients have been handled. */
  readonly #leaving = new Set<Promise<void>>();
  #heart: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    settings: ListenSettings,
    handler: ListenerHandler,
    servers: { readonly http: HttpServer; readonly sockets: WebSocketServer },
  ) {
    this.#settings = settings;
    this.#queued = new QueuedBytes(settings.maxTotalQueuedBytes);
    this.#incomplete = new IncompleteMessages(settings.maxPayload);
    this.#handler = handler;
    this.#http = servers.http;
    this.#sockets = servers.sockets;
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on("request", settings.http ?? refuseRequest);
  }

  /** Binds the address and starts the heartbeat. @throws if the address cannot be bound */
  async listen(): Promise<void> {
    const { port, host, heartbeatInterval, logger } = this.#settings;
    await new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") error.message = describeUsed(port);
        reject(error);
      };
      this.#http.once("error", fail);
      this.#http.listen(port, host, () => {
        this.#http.off("error", fail);
        resolve();
      });
    });
    this.#http.on("error", (error) => logger?.error(`agent: endpoint error: ${safeReport(error)}`));
    this.#heart = setInterval(() => {
      // Connections that have not authenticated have a timeout of their own.
      for (const connection of this.#clients) connection.beat();
    }, heartbeatInterval);
    this.#heart.unref();
  }

  /** Bound address, with the actual port if port 0 was requested. */
  get address(): ServerAddress {
    const { address, port, family } = this.#http.address() as AddressInfo; // an object, as it listens on a port
    const host = family === "IPv6" ? `[${address}]` : address;
    return { host: address, port, url: `ws://${host}:${port}` };
  }

  /** Number of connected clients, without those that have not authenticated. */
  get connectionCount(): number {
    return [...this.#clients].filter(({ isOpen }) => isOpen).length;
  }

  /** Sends an encoded frame to all clients. Returns the number of clients it was sent to. */
  broadcast(bytes: Uint8Array): number {
    let count = 0;
    for (const connection of this.#clients) if (connection.sendBytes(bytes)) count++;
    return count;
  }

  /** Shuts down: rejects new connections, waits for messages in flight, and closes all connections. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#heart);
    const gone = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    const late = new AbortController();
    const timeout = wait(this.#settings.stopTimeout, undefined, { signal: late.signal }).catch(
      () => undefined,
    );
    const open = [...this.#connections];
    const drained = Promise.all([...this.#leaving, ...open.map((connection) => connection.drain())]);
    await Promise.race([drained, timeout]);
    // A timeout is required, because a handler may hang.
    await Promise.race([this.#handler.stop(), wait(STOP_TIMEOUT_MS)]);
    for (const connection of this.#connections) connection.close(1001, "The server is stopping.");
    await Promise.race([gone, timeout]);
    for (const connection of this.#connections) connection.terminate();
    this.#http.closeAllConnections();
    await gone;
    late.abort();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Head): void {
    const admission = this.#admit(request);
    if (!admission.ok) return refuse(socket, admission);
    const { identify } = this.#settings;
    const { credentials } = admission;
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (identify === undefined || credentials === undefined)
        this.#open(this.#connect(webSocket, socket, this.#handler));
      else this.#authenticate({ webSocket, request, socket }, { identify, credentials });
    });
  }

  #connect(webSocket: WebSocket, socket: Duplex, handler: FrameHandler): SocketConnection {
    const connection = new SocketConnection(webSocket, handler, {
      ...this.#settings,
      queued: this.#queued,
      load: this.#load,
    });
    this.#connections.add(connection);
    this.#incomplete.watch({ webSocket, socket, drop: () => connection.disconnect(INCOMPLETE) });
    webSocket.on("close", () => {
      this.#connections.delete(connection);
      if (this.#clients.delete(connection)) this.#handler.close(connection);
      const rest: Promise<void> = connection.drain().finally(() => this.#leaving.delete(rest));
      this.#leaving.add(rest);
    });
    return connection;
  }

  #open(connection: SocketConnection): void {
    this.#clients.add(connection);
    this.#handler.open(connection);
  }

  #authenticate(
    { webSocket, request, socket }: Upgraded,
    { identify, credentials }: { readonly identify: Identify; readonly credentials: Credentials },
  ): void {
    const { handshakeTimeout: timeout, logger } = this.#settings;
    const { headers, url = "/" } = request;
    const connection: SocketConnection = this.#connect(webSocket, socket, {
      check: (text) => authentication.check(text, this.#handler.check),
      receive: this.#handler.receive,
    });
    const count = (chunk: Uint8Array) => authentication.count(chunk.byteLength);
    const authentication = new Authentication({
      connection,
      request: { headers, url, remoteAddress: request.socket.remoteAddress },
      identify,
      readToken: this.#readToken,
      timeout,
      logger,
      onAccepted: () => {
        socket.off("data", count);
        this.#open(connection);
      },
      onSettled: () => void this.#pending.delete(authentication),
    });
    this.#pending.set(authentication, connection);
    webSocket.on("close", () => authentication.close());
    socket.on("data", count);
    authentication.begin(credentials);
  }

  #admit(request: IncomingMessage): Admission {
    if (this.#closed !== undefined) return { ok: false, status: 503, reason: "The server is stopping." };
    const count = checkHeaderCount(request);
    if (!count.ok) return { ok: false, status: 431, reason: describeHeaderCount(count.limit) };
    const { headers, headersDistinct } = request;
    // Clients that implement early protocol drafts send the origin in `Sec-WebSocket-Origin`.
    const oldest = headers["sec-websocket-origin"];
    const origin = headers.origin ?? (Array.isArray(oldest) ? oldest.join() : oldest);
    // Repeated headers are joined, which makes the token invalid. Node keeps only the first one.
    const authorization = headersDistinct["authorization"]?.join(", ");
    const admission = checkAdmission({ origin, authorization, cookies: headers.cookie }, this.#settings);
    if (!admission.ok) return admission;
    const { maxConnections, maxPending } = this.#settings;
    const needsToken = admission.credentials !== undefined;
    if (needsToken && this.#pending.size >= maxPending && this.#closeWaiting() === undefined)
      return tooMany("connections that have not authenticated", maxPending);
    if (this.#connections.size >= maxConnections && !this.#makeRoom())
      return tooMany("connections", maxConnections);
    return admission;
  }

  /**
   * Closes the connection that has waited for a token for the longest time. Silent clients could otherwise lock out all
   * others. Connections whose token is being verified are kept, so `maxPending` also limits verifications.
   */
  #closeWaiting(): SocketConnection | undefined {
    for (const [authentication, connection] of this.#pending) {
      if (!authentication.isWaiting) continue;
      authentication.giveWay();
      return connection;
    }
    return undefined;
  }

  /** Disconnects a client that does not respond to a close frame, or one that waits. Returns false if there is none. */
  #makeRoom(): boolean {
    const connection = [...this.#connections].find(({ isOpen }) => !isOpen) ?? this.#closeWaiting();
    if (connection === undefined) return false;
    this.#connections.delete(connection);
    connection.terminate();
    return true;
  }
}

/** WebSocket, and the request and the socket that it was made from. */
interface Upgraded {
  readonly webSocket: WebSocket;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
}

function tooMany(what: string, limit: number): Admission {
  return { ok: false, status: 503, reason: `Too many ${what} (limit: ${limit}). Try again later.` };
}

function describeUsed(port: number): string {
  return `Port ${port} is in use. Stop the other program, or choose a different port.`;
}

const refuseRequest: RequestListener = (_request, response) => {
  response.writeHead(426, { connection: "close", upgrade: "websocket", "content-type": "text/plain" });
  response.end("This endpoint accepts only WebSocket connections.");
};

function refuse(socket: Duplex, { status, reason }: Admission & { readonly ok: false }): void {
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  const challenge = status === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${challenge}Connection: close\r\n` +
      `Content-Type: text/plain\r\nContent-Length: ${reason.length}\r\n\r\n${reason}`,
  );
}
