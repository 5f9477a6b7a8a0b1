/**
 * @fileoverview `serve`: a server on stdio or HTTP in one call, stopped in good order by a signal.
 * @module transport/node/serve
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import type { HttpOptions } from "../http/options.js";
import { runStdio, type Stoppable, stopOnSignals } from "../stdio/run-stdio.js";
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
  /** A text to show instead of serving, as `parseConfig` gives it for `--help`. */
  readonly help?: string | undefined;
}

/** A server that runs. */
export interface Running extends Stoppable {
  /** The endpoint, on HTTP. */
  readonly url: string | undefined;
  /** The HTTP server, on HTTP. */
  readonly httpServer: HttpServer | undefined;
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
  const built: HostedServer<Context> = toServer(server);
  const { transport = { type: "stdio" } } = options;
  const running =
    transport.type === "stdio"
      ? { url: undefined, httpServer: undefined, ...runStdio(built, options) }
      : await runHttp(built, transport.port, options);
  if (options.signals ?? true) stopOnSignals(running);
  return running;
}

async function runHttp<Context>(
  server: HostedServer<Context>,
  port: number,
  options: ServeOptions<Context>,
): Promise<Running> {
  const { host = "127.0.0.1", path = "/mcp", graceMs = 10_000, allowedHosts } = options;
  // Node's HTTP takes longer to load than all of this; a server on stdio does without.
  const { listen } = await import("./listen.js");
  // Another name of this machine, such as 127.0.0.2, is reached under that name.
  const hosts = allowedHosts ?? [...LOOPBACK_HOSTS, toHostName(host)];
  const handler = toNodeHandler(server, { ...options, allowedHosts: hosts });
  const paths = new Set([
    path,
    ...(options.legacySse === true ? ["/sse", "/messages"] : []),
    ...(options.authorization?.metadata?.paths ?? []),
  ]);
  const http = await listen((request, response) => route(paths, handler, request, response), {
    port,
    host,
    allowedHosts,
  });
  let closing: Promise<void> | undefined;
  const stop = async () => {
    const deadline = Date.now() + graceMs;
    server.close();
    // Until the last call is done, new ones are told so with 503; a closed port would only break connections.
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

function route(
  paths: ReadonlySet<string>,
  handler: NodeHandler,
  request: IncomingMessage,
  response: ServerResponse,
): void {
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
}
