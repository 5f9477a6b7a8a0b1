/**
 * @fileoverview Temporary server for the redirect of RFC 8252: loopback only, on a port chosen by the system, for one
 * callback.
 * @module oauth/callback-server
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type PageName, sendPage } from "./pages.js";

/** Options of a callback server. */
export interface CallbackOptions {
  readonly host: "127.0.0.1" | "localhost" | "[::1]";
  readonly path: string;
  /** Expected `state` parameter. */
  readonly state: string;
  /** True if the server must not keep the process running. */
  readonly background: boolean;
  /** Handles the parameters of the callback, and returns the page to show. */
  readonly onCallback: (parameters: URLSearchParams) => Promise<PageName>;
}

/** A server that waits for its callback. */
export interface CallbackServer {
  readonly redirectUri: string;
  /** Stops accepting connections. A response in flight is completed. */
  readonly close: () => void;
}

/** Limits against slow and endless requests, and against more connections than a browser needs. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};
const MAX_CONNECTIONS = 16;

/** Time in milliseconds for sending the last page. */
const LINGER_MS = 2_000;

/** Starts the server. @throws if this machine does not have the loopback address */
export async function openCallbackServer(options: CallbackOptions): Promise<CallbackServer> {
  const { host, path, background } = options;
  let authority: string | undefined;
  let isOpen = true;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // After DNS rebinding, a page of another site can reach this port, but sends its own host name.
    const isHere = authority !== undefined && request.headers.host?.toLowerCase() === authority;
    if (!isHere) return sendPage(response, "forbidden");
    const url = readTarget(request.url, authority);
    if (url?.pathname !== path) return sendPage(response, "missing");
    if (request.method !== "GET") return sendPage(response, "method");
    const states = url.searchParams.getAll("state");
    const isOurs = states.length === 1 && isSame(states[0] ?? "", options.state);
    if (!isOurs || !isOpen) return sendPage(response, "unknown");
    isOpen = false;
    sendPage(response, await options.onCallback(url.searchParams));
  };

  const { port, servers } = await listen(host, (request, response) => {
    // Nothing awaits this promise. A failure closes the connection and never ends the process.
    void handle(request, response).catch(() => response.destroy());
  });
  authority = `${host}:${port}`;
  if (background) for (const server of servers) server.unref();
  return {
    redirectUri: `http://${authority}${path}`,
    close: () => {
      for (const server of servers) {
        server.close();
        // Browsers also open connections that they never use.
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref();
      }
    },
  };
}

function readTarget(target: string | undefined, authority: string | undefined): URL | undefined {
  const address = `http://${authority}${target ?? ""}`;
  return target?.startsWith("/") === true && URL.canParse(address) ? new URL(address) : undefined;
}

/** Compares digests in constant time, so that timing reveals nothing about the state. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Listening {
  readonly port: number;
  readonly servers: readonly Server[];
}

/**
 * Listens on the given host. `localhost` can resolve to IPv4 or IPv6, so the server listens on both. A port that
 * another process uses in one of them is skipped, because that process could receive the code.
 */
async function listen(host: CallbackOptions["host"], answer: Answer): Promise<Listening> {
  if (host !== "localhost") {
    const server = await listenOn(host === "[::1]" ? "::1" : host, 0, answer);
    return { port: portOf(server), servers: [server] };
  }
  for (let attempt = 0; attempt < 20; attempt++) {
    const first = await listenOn("127.0.0.1", 0, answer);
    const second = await listenOn("::1", portOf(first), answer).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (!(second instanceof Error)) return { port: portOf(first), servers: [first, second] };
    if (second.code !== "EADDRINUSE") return { port: portOf(first), servers: [first] };
    first.close();
  }
  throw new Error("No port is free on both 127.0.0.1 and ::1. Close some programs and try again.");
}

function listenOn(address: string, port: number, answer: Answer): Promise<Server> {
  const server = createServer(LIMITS, answer);
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("The callback server is not listening.");
  return address.port;
}
