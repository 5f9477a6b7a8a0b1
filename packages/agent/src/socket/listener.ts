/**
 * @fileoverview The WebSocket endpoint: admits connections, sends heartbeats, and closes connections gracefully.
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
import type { WebSocketServer } from "ws";
import { safeReport } from "@tenon/internal/security/safe-text";
import { Connection, type FrameHandler } from "./connection.js";
import { type Admission, checkAdmission } from "./admission.js";
import type { ListenSettings, ServerAddress } from "./options.js";

/** Handles connections and their messages. */
export interface ListenerHandler extends FrameHandler {
  readonly open: (connection: Connection) => void;
  readonly close: (connection: Connection) => void;
  /** Stops background work. Clients are still connected and receive its last messages. */
  readonly stop: () => Promise<void>;
}

/** Opens the endpoint. @throws if the address cannot be bound */
export async function openListener(settings: ListenSettings, handler: ListenerHandler): Promise<Listener> {
  // ws is loaded here, so that programs that use the tools without a server do not load it.
  const { WebSocketServer } = await import("ws");
  const sockets = new WebSocketServer({ ...SOCKET_OPTIONS, maxPayload: settings.maxPayload });
  const http = createServer({
    headersTimeout: settings.handshakeTimeout,
    requestTimeout: settings.handshakeTimeout,
    connectionsCheckingInterval: Math.max(10, Math.ceil(settings.handshakeTimeout / 2)),
  });
  // Clients slightly over the limit get a reason. Further ones cost only a closed socket.
  http.maxConnections = settings.maxConnections + TOLD_APART;
  const listener = new Listener(settings, handler, { http, sockets });
  await listener.listen();
  return listener;
}

const SOCKET_OPTIONS = {
  noServer: true,
  clientTracking: false,
  // Small compressed messages could expand to large ones and bypass the limits.
  perMessageDeflate: false,
  // `Connection` sends pongs itself and counts them in its queue.
  autoPong: false,
  closeTimeout: 5_000,
  maxFragments: 1_024,
  maxBufferedChunks: 4_096,
};

type Head = Parameters<WebSocketServer["handleUpgrade"]>[2];

/** Number of connections over the limit that still receive a reason. */
const TOLD_APART = 100;

const STOP_TIMEOUT_MS = 1_000;

/** An open endpoint. */
export class Listener {
  readonly #settings: ListenSettings;
  readonly #handler: ListenerHandler;
  readonly #http: HttpServer;
  readonly #sockets: WebSocketServer;
  readonly #connections = new Set<Connection>();
  /** Messages of disconnected clients that are still being handled. */
  readonly #leaving = new Set<Promise<void>>();
  #heart: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    settings: ListenSettings,
    handler: ListenerHandler,
    servers: { readonly http: HttpServer; readonly sockets: WebSocketServer },
  ) {
    this.#settings = settings;
    this.#handler = handler;
    this.#http = servers.http;
    this.#sockets = servers.sockets;
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on("request", settings.http ?? refuseRequest);
  }

  /** Starts to listen. @throws if the address cannot be bound */
  async listen(): Promise<void> {
    const { port, host, heartbeatInterval, logger } = this.#settings;
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject);
      this.#http.listen(port, host, () => {
        this.#http.off("error", reject);
        resolve();
      });
    });
    this.#http.on("error", (error) => logger?.error(`agent: endpoint error: ${safeReport(error)}`));
    this.#heart = setInterval(() => {
      for (const connection of this.#connections) connection.beat();
    }, heartbeatInterval);
    this.#heart.unref();
  }

  /** Address of the endpoint. */
  get address(): ServerAddress {
    const { address, port, family } = this.#http.address() as AddressInfo; // an object, because it listens on a port
    const host = family === "IPv6" ? `[${address}]` : address;
    return { host: address, port, url: `ws://${host}:${port}` };
  }

  /** Number of connected clients. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Sends the same bytes to all clients and returns the number of clients that they were sent to. */
  broadcast(bytes: Uint8Array): number {
    let count = 0;
    for (const connection of this.#connections) if (connection.sendBytes(bytes)) count++;
    return count;
  }

  /** Stops: refuses new connections, waits for messages in flight, and closes all connections. */
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
    // Limited by a timeout, because a handler may hang and background work must not outlive the endpoint.
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
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(webSocket, this.#handler, this.#settings);
      this.#connections.add(connection);
      webSocket.on("close", () => {
        this.#connections.delete(connection);
        this.#handler.close(connection);
        const rest: Promise<void> = connection.drain().finally(() => this.#leaving.delete(rest));
        this.#leaving.add(rest);
      });
      this.#handler.open(connection);
    });
  }

  #admit({ headers }: IncomingMessage): Admission {
    if (this.#closed !== undefined) return { ok: false, status: 503, reason: "The server is stopping." };
    // Old clients send the origin in `Sec-WebSocket-Origin`.
    const oldest = headers["sec-websocket-origin"];
    const origin = headers.origin ?? (Array.isArray(oldest) ? oldest.join() : oldest);
    const admission = checkAdmission({ origin, authorization: headers.authorization }, this.#settings);
    if (!admission.ok) return admission;
    const { maxConnections } = this.#settings;
    if (this.#connections.size < maxConnections) return admission;
    return {
      ok: false,
      status: 503,
      reason: `Connection limit reached (${maxConnections}). Try again later.`,
    };
  }
}

const refuseRequest: RequestListener = (_request, response) => {
  response.writeHead(426, { connection: "close", upgrade: "websocket", "content-type": "text/plain" });
  response.end("This endpoint accepts WebSocket connections only.");
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
