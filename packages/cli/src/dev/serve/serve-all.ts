/**
 * @fileoverview Serves the proxy over HTTP or stdio, and decides on which port the development page is served. The page is available only on loopback addresses,
 * so it gets a port of its own if the command serves over stdio or on a different address.
 * @module cli/dev/serve/serve-all
 */
import type { IncomingMessage, RequestListener } from "node:http";
import { isLoopbackHost, LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import type { DevProxy } from "../proxy/dev-proxy.js";
import { type Address, listenOn } from "../../run/address.js";
import { listen, type NodeHandler, toNodeHandler } from "tenon/node";
import type { Terminal } from "@tenon/internal/command-line/command";
import { isPageUrl } from "../../page/serve/access.js";
import type { RequestHeaders } from "../messages/messages.js";
import { serveStdio, type StdioTransport } from "tenon/stdio";

/** HTTP servers of the command. */
export interface ServedParts {
  /** Endpoint for clients. `undefined` over stdio. */
  readonly http: ServedHttp | undefined;
  /** Endpoint of the page, which can be the same. `undefined` without a page. */
  readonly page: ServedHttp | undefined;
}

/** Settings for `serveAll`. */
export interface ServeAllSettings {
  readonly address: Address | undefined;
  readonly canMove: boolean;
  readonly page: RequestListener | undefined;
}

/** Address of a page with its own port. Its clients use an endpoint there too. */
const OWN_ADDRESS: Address = { port: 0, host: "127.0.0.1", path: "/mcp", allowHost: [] };

/** Serves clients and the page. @throws {CliError} if no port can be used */
export async function serveAll(proxy: DevProxy, settings: ServeAllSettings): Promise<ServedParts> {
  const { address, canMove, page } = settings;
  const isShared = address !== undefined && isLoopbackHost(address.host) && address.allowHost.length === 0;
  const http =
    address === undefined
      ? undefined
      : await serveHttp(proxy, { address, canMove, page: isShared ? page : undefined });
  if (page === undefined || isShared) return { http, page: page === undefined ? undefined : http };
  return { http, page: await serveHttp(proxy, { address: OWN_ADDRESS, canMove: false, page }) };
}

/** Running HTTP server. */
interface ServedHttp {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  /** Rejects new requests, and waits for those in flight. */
  drain(graceMs: number): Promise<void>;
  /** Closes the port. */
  close(): Promise<void>;
}

/** Settings for `serveHttp`. */
interface ServeSettings {
  readonly address: Address;
  /** True to use the next free port if the port is in use. */
  readonly canMove: boolean;
  /** Handles the requests of the development page. */
  readonly page?: RequestListener | undefined;
}

/** Serves the proxy, and the development page if there is one. @throws {CliError} if no port can be used */
async function serveHttp(proxy: DevProxy, settings: ServeSettings): Promise<ServedHttp> {
  const { address, canMove } = settings;
  const { host, path, allowHost: allowed } = address;
  const { handler, listener } = createListener(proxy, settings);
  const allowedHosts = allowed.length > 0 ? allowed : undefined;
  const http = await listenOn(address.port, canMove, (port) =>
    listen(listener, { port, host, allowedHosts }),
  );
  return {
    url: `http://${toHostName(host)}:${http.port}${path}`,
    origin: `http://${toHostName(host)}:${http.port}`,
    port: http.port,
    drain: (graceMs) => handler.close(graceMs),
    close: () => http.close(Date.now() + CLOSE_MS),
  };
}

/** Time in milliseconds for responses that are being sent when the port is closed. */
const CLOSE_MS = 1_000;

interface Served {
  readonly handler: NodeHandler;
  readonly listener: RequestListener;
}

/** Creates the request listener. The server process gets the headers of each request as its context. */
function createListener(proxy: DevProxy, { address, page }: ServeSettings): Served {
  const { host, path, allowHost: allowed } = address;
  let current: IncomingMessage | undefined;
  const handler = toNodeHandler<RequestHeaders, never>(proxy, {
    allowedHosts: allowed.length > 0 ? allowed : [...LOOPBACK_HOSTS, toHostName(host)],
    // Called synchronously by the handler, before the body is read.
    authenticate: () => ({ context: headersOf(current) }),
  });
  const listener: RequestListener = (request, response) => {
    const { url = "/" } = request;
    if (page !== undefined && isPageUrl(url)) {
      page(request, response);
      return;
    }
    const [pathname] = url.split("?", 1);
    if (pathname !== path) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: `Not found. The MCP endpoint is ${path}.` }));
      return;
    }
    current = request;
    handler(request, response);
    current = undefined;
  };
  return { handler, listener };
}

function headersOf(request: IncomingMessage | undefined): RequestHeaders {
  if (request === undefined) return undefined;
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return [[name, typeof value === "string" ? value : value.join(", ")]];
  });
  return Object.fromEntries(headers);
}

/** Serves one client until it disconnects. */
export function serveOverStdio(proxy: DevProxy, { stdin, stdout }: Terminal): StdioTransport {
  return serveStdio<RequestHeaders, never>(proxy, {
    input: stdin,
    output: stdout,
    context: undefined,
    signals: false,
    banner: false,
  });
}
