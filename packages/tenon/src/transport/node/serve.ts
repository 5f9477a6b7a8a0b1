/**
 * @fileoverview `serve`: runs a server over stdio or HTTP, with graceful shutdown on signals.
 * @module transport/node/serve
 */
import type { RequestListener, Server as HttpServer } from "node:http";
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import { createDefaultLog, printToStderr } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { sharedSource, startSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { httpStartLine, warnOfOpenScopes } from "../start-line.js";
import { byteFunctions } from "../node-buffer.js";
import { untilIdle } from "../until-idle.js";
import { serveStdio } from "../stdio/serve-stdio.js";
import { type Stoppable, stopOnSignals } from "../stdio/stop-on-signals.js";
import { listen } from "./listen.js";
import { createNodeHandler, type NodeHandler } from "./node-handler.js";
import { resolveTransport, type ServeOptions, toHttpOptions } from "./serve-options.js";

/** Running server. */
export interface Running extends Stoppable {
  /** URL of the HTTP endpoint. `undefined` over stdio. */
  readonly url: string | undefined;
  /** HTTP server. `undefined` over stdio. */
  readonly httpServer: HttpServer | undefined;
  /** Stops the server. New requests are rejected, and calls in flight may finish within the grace period. */
  readonly close: () => Promise<void>;
}

/**
 * Serves over stdio by default, or over HTTP if `port` or `transport` selects it. Prints one line to standard error
 * when the server has started, and unexpected failures of servers without `log`.
 *
 * @example await serve(server, { port: 3000 });
 * @throws if an option is unknown or invalid, if the port is in use, or if other machines can reach the address and
 * `allowedHosts` is not set
 */
export async function serve<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, ServeOptions<NoInfer<Context>>, ContextSource<NoInfer<Context>>>
): Promise<Running> {
  const options: ServeOptions<Context> = rest[0] ?? {};
  const transport = resolveTransport(options);
  if (options.help !== undefined) {
    process.stdout.write(`${options.help}\n`);
    return {
      url: undefined,
      httpServer: undefined,
      closed: Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  const hosted = toServer<Context, Tools>(server);
  if (transport.type === "stdio") return runStdio(hosted, options);
  const running = await runHttp(hosted, transport.port, options);
  if (options.signals ?? true) stopOnSignals(running);
  return running;
}

function runStdio<Context>(
  server: HostedServer<Context>,
  { context, limits, banner = true, signals = true }: ServeOptions<Context>,
): Running {
  const { closed, close } = serveStdio<Context, ToolMap>(server, {
    signals,
    banner,
    ...(limits === undefined ? {} : { limits }),
    context: context as Context, // Safe: `undefined` only if the server declares no context
  });
  return { url: undefined, httpServer: undefined, closed, close };
}

async function runHttp<Context>(
  server: HostedServer<Context>,
  port: number,
  options: ServeOptions<Context>,
): Promise<Running> {
  const { host = "127.0.0.1", path = "/mcp", graceMs = 10_000, banner = true, allowedHosts } = options;
  // Clients of a different loopback address, such as 127.0.0.2, send that address as the Host.
  const hosts = allowedHosts ?? [...LOOPBACK_HOSTS, toHostName(host)];
  const source = startSource(sharedSource(server), createDefaultLog(printToStderr));
  const handler = createNodeHandler(source, { ...toHttpOptions(options), allowedHosts: hosts });
  const paths = new Set([
    path,
    ...(options.legacySse === true ? ["/sse", "/messages"] : []),
    ...(options.authorization?.metadata?.paths ?? []),
  ]);
  const route = createRoute({ endpoint: path, paths }, handler);
  const http = await listen(route, { port, host, allowedHosts });
  const url = `http://${toHostName(host)}:${http.port}${path}`;
  if (banner) printToStderr(httpStartLine(server, url));
  warnOfOpenScopes(source, options, printToStderr);
  let closing: Promise<void> | undefined;
  const stop = async () => {
    const deadline = Date.now() + graceMs;
    server.close();
    // The port stays open until the last call is done: new requests get 503 instead of a broken connection.
    await handler.close(graceMs);
    await http.close(deadline);
    await untilIdle(server, deadline - Date.now());
  };
  return {
    url,
    httpServer: http.server,
    closed: http.closed,
    close: () => (closing ??= stop()),
  };
}

interface Routes {
  /** Path that a client should use, named in the response for other paths. */
  readonly endpoint: string;
  /** Paths that the handler serves. */
  readonly paths: ReadonlySet<string>;
}

/** Routes requests for `paths` to the handler, and serves `/healthz`. */
function createRoute({ endpoint, paths }: Routes, handler: NodeHandler): RequestListener {
  const notFound = JSON.stringify({ error: "not found", message: `The MCP endpoint is ${endpoint}.` });
  return (request, response) => {
    const { url = "/" } = request;
    if (paths.has(url)) return handler(request, response);
    const [pathname = "/"] = url.split("?", 1);
    if (paths.has(pathname)) return handler(request, response);
    const isHealth = pathname === "/healthz" && request.method === "GET";
    const body = isHealth ? '{"status":"ok"}' : notFound;
    response.writeHead(isHealth ? 200 : 404, {
      "content-type": "application/json",
      "content-length": byteFunctions().byteLength(body),
    });
    response.end(body);
    return undefined;
  };
}
