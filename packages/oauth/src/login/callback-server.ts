/**
 * @fileoverview Temporary server for the redirect (RFC 8252). It listens on a free port of a loopback address and
 * accepts one callback.
 * @module oauth/login/callback-server
 */
import { isUrl } from "@tenon/internal/security/is-url";
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { limitConnections } from "./limit-connections.js";
import { type PageName, sendPage } from "./pages.js";

/** Options for `openCallbackServer`. */
export interface CallbackOptions {
  readonly host: "127.0.0.1" | "localhost" | "[::1]";
  /** Port to listen on. @default a free port */
  readonly port?: number;
  /** Path in the redirect URI. */
  readonly path: string;
  /** Expected `state` parameter. */
  readonly state: string;
  /** True to let the process exit while the server is open. */
  readonly background: boolean;
  /** Handles the callback's parameters and returns the page to show. Called at most once. */
  readonly onCallback: (parameters: URLSearchParams) => Promise<PageName>;
}

/** Server that waits for its callback. */
export interface CallbackServer {
  readonly redirectUri: string;
  /** Stops accepting connections. A response in flight has two seconds to complete. */
  readonly close: () => void;
}

/** Limits that stop slow and endless requests. Times are in milliseconds. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};
/** Maximum number of open connections, more than a browser uses. A further one replaces the oldest idle one. */
const MAX_CONNECTIONS = 64;
/** Number of connections, including those about to be replaced, at which new ones are rejected. */
const MAX_ACCEPTED = 4_096;

/** Time limit in milliseconds for sending the last page. */
const LINGER_MS = 2_000;

/** Starts the server. @throws if this machine cannot listen on the loopback address, or the port is in use */
export async function openCallbackServer(options: CallbackOptions): Promise<CallbackServer> {
  const { host, path, background } = options;
  let authority: string | undefined;
  let isOpen = true;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // With DNS rebinding, a different site's page can reach this port, but its requests carry that site's host name.
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

  const { port, servers } = await listen(options, (request, response) => {
    // A failure closes the connection. An unhandled rejection would end the process.
    void handle(request, response).catch(() => response.destroy());
  });
  authority = `${host}:${port}`;
  if (background) for (const server of servers) server.unref();
  return {
    redirectUri: `http://${authority}${path}`,
    close: () => {
      for (const server of servers) {
        server.close();
        // Browsers open connections that they never use, and these would keep the server open.
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref();
      }
    },
  };
}

function readTarget(target: string | undefined, authority: string | undefined): URL | undefined {
  const address = `http://${authority}${target ?? ""}`;
  return target?.startsWith("/") === true && isUrl(address) ? new URL(address) : undefined;
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
 * Listens on the given host. `localhost` can resolve to IPv4 or IPv6, so the server listens on both. If a different
 * process uses the port on one of them, the port is skipped, because that process could receive the code.
 */
async function listen({ host, port = 0 }: CallbackOptions, answer: Answer): Promise<Listening> {
  if (host !== "localhost") {
    const server = await listenOn(host === "[::1]" ? "::1" : host, port, answer);
    return { port: portOf(server), servers: [server] };
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const first = await listenOn("127.0.0.1", port, answer);
    const second = await listenOn("::1", portOf(first), answer).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (!(second instanceof Error)) return { port: portOf(first), servers: [first, second] };
    if (second.code !== "EADDRINUSE") return { port: portOf(first), servers: [first] };
    first.close();
    if (port !== 0) throw second;
  }
  throw new Error(
    `Could not find a port that is free on both 127.0.0.1 and ::1 after ${MAX_ATTEMPTS} attempts. ` +
      "Close some programs and try again.",
  );
}

const MAX_ATTEMPTS = 20;

function listenOn(address: string, port: number, answer: Answer): Promise<Server> {
  const server = createServer(LIMITS, answer);
  server.maxConnections = MAX_ACCEPTED;
  limitConnections(server, MAX_CONNECTIONS);
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
    throw new Error("Could not determine the callback server's port. Try again.");
  return address.port;
}
