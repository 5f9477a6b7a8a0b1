/**
 * @fileoverview Serves an MCP server over stdio or HTTP with one call. Throws if a required option is missing.
 * @module kit/serving/setup
 */
import type { Server as HttpServer } from "node:http";
import { assertOptions, parseOptions } from "@tenon/internal/options/define-options";
import { systemPorts } from "@tenon/internal/ports";
import type { ContextSource } from "tenon/fetch";
import { listen } from "tenon/node";
import { serveStdio, type StdioTransport } from "tenon/stdio";
import type { HostedServer } from "tenon/host";
import {
  HTTP_SETUP,
  type SetupHttpServerOptions,
  type SetupStdioServerOptions,
  STDIO_SETUP,
  type StdioStreams,
  STREAMS,
} from "./options.js";
import { createEndpoint, type NeedsContext } from "./router.js";
import { type AnyServer, type ServerOrigin, toServerSource } from "@tenon/sdk/adapters";

/** Running stdio server. */
export interface StdioSetup {
  /** Resolves when the client has disconnected. Never rejects. */
  readonly closed: Promise<void>;
  /** Cancels calls in flight, and stops serving. */
  readonly close: () => Promise<void>;
}

/**
 * Serves over stdio. Resolves when the client disconnects.
 *
 * @throws if an option is unknown, or `serverFactory` is not a function
 */
export async function setupStdioServer<Context = unknown>(
  options: SetupStdioServerOptions<Context> & NeedsContext<NoInfer<Context>>,
): Promise<void> {
  assertOptions(STDIO_SETUP, options);
  const { closed } = await openStdioServer<Context>(options);
  await closed;
}

/** Connects one server to stdio. @throws if `mcpServer` is missing or not a server */
export async function setupStdioTransport<Context = unknown>(
  mcpServer: AnyServer<Context>,
  streams?: StdioStreams,
): Promise<StdioTransport> {
  if ((mcpServer as unknown) === undefined)
    throw new Error("`mcpServer` is required. Pass a Tenon server or an official SDK server.");
  if (streams !== undefined) assertOptions(STREAMS, streams);
  return openStdio<Context>({ mcpServer }, { streams });
}

/** Serves over stdio, with options that were checked. Resolves when the server is ready. */
export async function openStdioServer<Context>(
  options: SetupStdioServerOptions<Context>,
): Promise<StdioSetup> {
  const { serverFactory, logger } = options;
  const transport = await openStdio<Context>({ serverFactory }, options);
  logger?.info("MCP server is ready (stdio).");
  const closed = transport.closed.then(() => logger?.info("MCP server has stopped."));
  return { closed, close: () => transport.close().then(() => closed) };
}

async function openStdio<Context>(
  origin: ServerOrigin<Context>,
  { streams, context, logger }: Omit<SetupStdioServerOptions<Context>, "serverFactory">,
): Promise<StdioTransport> {
  const source = toServerSource(origin, logger);
  const server = await source.open("stdio");
  const hosted: HostedServer<unknown> = {
    // Safe: the context is undefined only if the server does not declare one.
    handle: (message, _context, exchange) => server.handle(message, context as Context, exchange),
    attach: (connection, notify) => server.attach(connection, notify),
    useLog: (sink) => server.useLog?.(sink),
    start: () => server.start?.(),
    // Closing stdio must not close the caller's server, which may be served elsewhere too.
    close: () => source.end(),
    ...(server.info === undefined ? {} : { info: server.info }),
  };
  // Signals are left to the application.
  return serveStdio(hosted, { ...streams, signals: false });
}

/** Running HTTP server. */
export interface HttpSetup {
  readonly httpServer: HttpServer;
  /**
   * Stops accepting requests, and aborts requests that are still in flight after `graceMs` milliseconds.
   * @default 10000
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

/**
 * Mounts the endpoint on an application and listens.
 *
 * @throws if an option is unknown or invalid, or the port is in use
 */
export async function setupHttpServer<Context = unknown>(
  options: SetupHttpServerOptions<Context> & NeedsContext<NoInfer<Context>, ContextSource<NoInfer<Context>>>,
): Promise<HttpSetup> {
  return openHttpServer<Context>(options);
}

/** Mounts the endpoint and listens. @param label start of error messages */
export async function openHttpServer<Context>(
  options: SetupHttpServerOptions<Context>,
  label?: string,
): Promise<HttpSetup> {
  const { app, port, host, path, logger } = parseOptions(HTTP_SETUP, options, label);
  if (port === undefined) throw new Error("Port is required for HTTP transport");
  if (typeof app?.use !== "function") throw new Error("Express app is required for HTTP transport");
  const router = createEndpoint<Context>(options);
  const http = await listen(app, { port, host, allowedHosts: options.allowedHosts });
  // The endpoint is mounted after listening succeeds, so that a failure leaves the application unchanged.
  app.use(path, router);
  for (const published of options.authorization?.metadata?.paths ?? []) app.use(published, router);
  logger?.info(`MCP server is ready on port ${http.port}.`);
  let closing: Promise<void> | undefined;
  const stop = async (graceMs: number) => {
    const deadline = systemPorts.now() + graceMs;
    await router.close(graceMs);
    await http.close(deadline);
    logger?.info("MCP server has stopped.");
  };
  return { httpServer: http.server, close: (graceMs = 10_000) => (closing ??= stop(graceMs)) };
}
