/**
 * @fileoverview The ephemeral server of RFC 8252 to which the browser comes back: loopback only, a port that the system
 * chooses, one callback.
 * @module oauth/callback-server
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type PageName, sendPage } from "./pages.js";

/** What a callback server is for. */
export interface CallbackOptions {
  readonly host: "127.0.0.1" | "localhost" | "[::1]";
  readonly path: string;
  /** The one `state` that is let in. */
  readonly state: string;
  /** Must not keep the program running by itself. */
  readonly background: boolean;
  /** Takes the parameters of the one callback, and says which page its sender sees. */
  readonly onCallback: (parameters: URLSearchParams) => Promise<PageName>;
}

/** A server that waits for its callback. */
export interface CallbackServer {
  readonly redirectUri: string;
  /** Takes nothing new; an answer under way is finished. */
  readonly close: () => void;
}

/** Slow or endless requests are cut off, and no more than a browser needs are held at once. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};
const MAX_CONNECTIONS = 16;

/** How long the last page may take on its way out. */
const LINGER_MS = 2_000;

/** Starts to listen. @throws where this machine has no loopback address of the kind */
export async function openCallbackServer(options: CallbackOptions): Promise<CallbackServer> {
  const { host, path, background } = options;
  let authority: string | undefined;
  let isOpen = true;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page of another site that got this address under its own name (DNS rebinding) still sends that name.
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
    // Nobody waits for this promise: a failure is shown to the browser, and never ends the process.
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

/** Compares digests, so that the time it takes tells nothing. */
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
 * A browser may take `localhost` for either family, so both are listened on. A port that somebody else holds in the
 * other family is not used: the code would go to him.
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
  throw new Error("No port of localhost is free");
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
  if (typeof address !== "object" || address === null) throw new Error("The server does not listen");
  return address.port;
}
