/**
 * @fileoverview `serve`: a server on stdio or HTTP in one call, stopped in good order by a signal.
 * @module transport/node/serve
 */
import { createServer, type Server as HttpServer } from "node:http";
import { isIP } from "node:net";
import { ServerBuilder } from "../../core/builder.js";
import type { Server, ToolMap } from "../../core/server.js";
import type { HttpOptions } from "../http/options.js";
import { serveStdio } from "../stdio/serve-stdio.js";
import { type NodeHandler, toNodeHandler } from "./node-handler.js";

/** Exactly one transport. */
export type TransportConfig = { readonly type: "stdio" } | { readonly type: "http"; readonly port: number };

/** How to serve. */
export interface ServeOptions<Context> extends HttpOptions<Context> {
  /** @default stdio */
  readonly transport?: TransportConfig;
  /**
   * The address to listen on. One that other machines can reach needs `allowedHosts`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /** @default "/mcp" */
  readonly path?: string;
  /**
   * How long calls under way may take to finish when the server stops.
   * @default 10000
   */
  readonly graceMs?: number;
  /**
   * Whether SIGINT and SIGTERM stop the server; a second one ends the process at once.
   * @default true
   */
  readonly signals?: boolean;
}

/** A server that runs. */
export interface Running {
  /** The endpoint, on HTTP. */
  readonly url: string | undefined;
  /** The HTTP server, on HTTP. */
  readonly httpServer: HttpServer | undefined;
  /** Resolves when it has stopped. */
  readonly closed: Promise<void>;
  /** Stops it: nothing new is taken, what is under way may finish within the grace period. */
  close(): Promise<void>;
}

/**
 * Serves on stdio, or on HTTP where a port is given.
 *
 * @example await serve(server, { transport: { type: "http", port: 3000 } });
 * @throws where the port is taken, or the address needs `allowedHosts`
 */
export async function serve<Context, Tools extends ToolMap>(
  server: Server<Context, Tools> | ServerBuilder<Context, Tools>,
  options: ServeOptions<Context> = {},
): Promise<Running> {
  const built = (server instanceof ServerBuilder ? server.build() : server) as Server<Context>; // types are for clients
  const { transport = { type: "stdio" } } = options;
  const running =
    transport.type === "stdio" ? runStdio(built, options) : await runHttp(built, transport.port, options);
  if (options.signals ?? true) stopOnSignals(running);
  return running;
}

function runStdio<Context>(server: Server<Context>, options: ServeOptions<Context>): Running {
  const wire = serveStdio(server, {
    input: process.stdin,
    output: process.stdout,
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const close = async () => {
    server.close();
    await wire.close();
    process.stdin.destroy(); // an open stdin would keep the process
  };
  const closed = wire.closed.then(() => {
    server.close();
    process.stdin.destroy();
  });
  return { url: undefined, httpServer: undefined, closed, close };
}

/** A client must send its headers, and then its body, in reasonable time: stops slow-loris attacks. */
const TIME_OUTS = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

async function runHttp<Context>(
  server: Server<Context>,
  port: number,
  options: ServeOptions<Context>,
): Promise<Running> {
  const { host = "127.0.0.1", path = "/mcp", graceMs = 10_000 } = options;
  if (!isLoopback(host) && options.allowedHosts === undefined) {
    throw new Error(
      `Listening on ${host} can be reached by other machines: set allowedHosts to the names it is reached under`,
    );
  }
  const handler = toNodeHandler(server, options);
  const paths = new Set(options.legacySse === true ? [path, "/sse", "/messages"] : [path]);
  const http = createServer(TIME_OUTS, (request, response) => route(paths, handler, request, response));
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => http.once("close", resolve));
  let closing: Promise<void> | undefined;
  const stop = async () => {
    server.close();
    // Until the last call is done, new ones are told so with 503; a closed port would only break connections.
    const deadline = Date.now() + graceMs;
    await handler.close(graceMs);
    http.close();
    // A reply may still be on its way to a slow reader: till the deadline only connections with nothing to send end.
    const sweep = () => (Date.now() < deadline ? http.closeIdleConnections() : http.closeAllConnections());
    const timer = setInterval(sweep, 10);
    sweep();
    await closed;
    clearInterval(timer);
  };
  const address = http.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `http://${name}:${actualPort}${path}`,
    httpServer: http,
    closed,
    close: () => (closing ??= stop()),
  };
}

function route(
  paths: ReadonlySet<string>,
  handler: NodeHandler,
  ...[request, response]: Parameters<NodeHandler>
): void {
  const [pathname = "/"] = (request.url ?? "/").split("?", 1);
  if (paths.has(pathname)) return handler(request, response);
  const isHealth = pathname === "/healthz" && request.method === "GET";
  const body = isHealth ? '{"status":"ok"}' : '{"error":"not found"}';
  response.writeHead(isHealth ? 200 : 404, {
    "content-type": "application/json",
    "content-length": body.length,
  });
  response.end(body);
  return undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function stopOnSignals(running: Running): void {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(130);
    asked = true;
    void running.close();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  void running.closed.then(() => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  });
}
