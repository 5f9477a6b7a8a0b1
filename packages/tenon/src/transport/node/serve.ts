/**
 * @fileoverview `serve`: runs a server on stdio or HTTP, with graceful shutdown on signals.
 * @module transport/node/serve
 */
import type { RequestListener, Server as HttpServer } from "node:http";
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import type { HttpOptions } from "../http/options.js";
import { serveStdio } from "../stdio/serve-stdio.js";
import { type Stoppable, stopOnSignals } from "../stdio/stop-on-signals.js";
import { listen } from "./listen.js";
import { type NodeHandler, toNodeHandler } from "./node-handler.js";

/** Transport to serve on. */
export type TransportConfig = { readonly type: "stdio" } | { readonly type: "http"; readonly port: number };

/** Options for `serve`. */
export interface ServeOptions<Context> extends HttpOptions<Context> {
  /**
   * Transport to serve on.
   * @default { type: "stdio" }
   */
  readonly transport?: TransportConfig;
  /**
   * Address to listen on. An address that other machines can reach requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Path of the HTTP endpoint.
   * @default "/mcp"
   */
  readonly path?: string;
  /**
   * Time for calls in flight to finish on shutdown, in milliseconds.
   * @default 10000
   */
  readonly graceMs?: number;
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true
   */
  readonly signals?: boolean;
  /** Text to print instead of serving, as returned by `parseConfig` for `--help`. */
  readonly help?: string | undefined;
}

/** Running server. */
export interface Running extends Stoppable {
  /** URL of the HTTP endpoint. `undefined` on stdio. */
  readonly url: string | undefined;
  /** HTTP server. `undefined` on stdio. */
  readonly httpServer: HttpServer | undefined;
  /** Stops the server. New requests are refused, and calls in flight may finish within the grace period. */
  readonly close: () => Promise<void>;
}

/**
 * Serves on stdio by default, or over HTTP if `transport` selects it.
 *
 * @example await serve(server, { transport: { type: "http", port: 3000 } });
 * @throws if the port is in use, or if other machines can reach the address and `allowedHosts` is not set
 */
export async function serve<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  options: ServeOptions<Context> = {},
): Promise<Running> {
  if (options.help !== undefined) {
    process.stdout.write(`${options.help}\n`);
    return {
      url: undefined,
      httpServer: undefined,
      closed: Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  const { transport = { type: "stdio" }, signals = true } = options;
  if (transport.type === "stdio") return runStdio(server, options);
  const running = await runHttp(toServer<Context, Tools>(server), transport.port, options);
  if (signals) stopOnSignals(running);
  return running;
}

function runStdio<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  { context, signals = true }: ServeOptions<Context>,
): Running {
  const { closed, close } = serveStdio(server, { signals, ...(context === undefined ? {} : { context }) });
  return { url: undefined, httpServer: undefined, closed, close };
}

async function runHttp<Context>(
  server: HostedServer<Context>,
  port: number,
  options: ServeOptions<Context>,
): Promise<Running> {
  const { host = "127.0.0.1", path = "/mcp", graceMs = 10_000, allowedHosts } = options;
  // Clients of a different loopback address, such as 127.0.0.2, send that address as the Host.
  const hosts = allowedHosts ?? [...LOOPBACK_HOSTS, toHostName(host)];
  const handler = toNodeHandler(server, { ...options, allowedHosts: hosts });
  const paths = new Set([
    path,
    ...(options.legacySse === true ? ["/sse", "/messages"] : []),
    ...(options.authorization?.metadata?.paths ?? []),
  ]);
  const http = await listen(createRoute(paths, handler), { port, host, allowedHosts });
  let closing: Promise<void> | undefined;
  const stop = async () => {
    const deadline = Date.now() + graceMs;
    server.close();
    // The port stays open until the last call is done: new requests get 503 instead of a broken connection.
    await handler.close(graceMs);
    await http.close(deadline);
  };
  const name = toHostName(host);
  return {
    url: `http://${name}:${http.port}${path}`,
    httpServer: http.server,
    closed: http.closed,
    close: () => (closing ??= stop()),
  };
}

/** Routes requests for `paths` to the handler, and answers `/healthz`. */
function createRoute(paths: ReadonlySet<string>, handler: NodeHandler): RequestListener {
  return (request, response) => {
    const { url = "/" } = request;
    if (paths.has(url)) return handler(request, response);
    const [pathname = "/"] = url.split("?", 1);
    if (paths.has(pathname)) return handler(request, response);
    const isHealth = pathname === "/healthz" && request.method === "GET";
    const body = isHealth ? '{"status":"ok"}' : '{"error":"not found"}';
    response.writeHead(isHealth ? 200 : 404, {
      "content-type": "application/json",
      "content-length": body.length,
    });
    response.end(body);
    return undefined;
  };
}
