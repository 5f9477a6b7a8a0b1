/**
 * @fileoverview Serves an MCP server over stdio or HTTP with one call. Throws if a required option is missing.
 * @module kit/serving/setup
 */
import { HTTP_OPTION_NAMES } from "tenon/host";
import type { Server as HttpServer } from "node:http";
import type { Readable, Writable } from "node:stream";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { systemPorts } from "@tenon/internal/ports";
import type { ContextSource } from "tenon/fetch";
import { listen } from "tenon/node";
import { serveStdio, type StdioTransport } from "tenon/stdio";
import type { Logger } from "tenon";
import type { HostedServer } from "tenon/host";
import { ALIASES } from "./option-names.js";
import {
  createEndpoint,
  type HttpMcpRouter,
  type HttpMcpRouterOptions,
  type NeedsContext,
} from "./router.js";
import { type AnyServer, type ServerFactory, type ServerOrigin, toServerSource } from "@tenon/sdk/adapters";

/** Streams to use instead of standard input and output. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Options for `setupStdioServer`. */
export interface SetupStdioServerOptions<Context = unknown> {
  /** Creates the server. Called once. */
  readonly serverFactory: ServerFactory<Context>;
  /**
   * Receives handler failures, and a message when the server starts or stops.
   * @default unexpected failures are written to standard error
   */
  readonly logger?: Logger;
  /** Application context for every request. */
  readonly context?: Context;
  /** @default standard input and output */
  readonly streams?: StdioStreams;
}

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
  assertKnownOptions(options, { label: "setupStdioServer", names: STDIO_NAMES, aliases: ALIASES });
  const { closed } = await openStdioServer<Context>(options);
  await closed;
}

const STDIO_NAMES: OptionNames<SetupStdioServerOptions> = {
  serverFactory: true,
  logger: true,
  context: true,
  streams: true,
};

/** Connects one server to stdio. @throws if `mcpServer` is missing or not a server */
export async function setupStdioTransport<Context = unknown>(
  mcpServer: AnyServer<Context>,
  streams?: StdioStreams,
): Promise<StdioTransport> {
  if ((mcpServer as unknown) === undefined)
    throw new Error("`mcpServer` is required. Pass a Tenon server or an official SDK server.");
  return openStdio<Context>({ mcpServer }, streams === undefined ? {} : { streams });
}

/** Serves over stdio. Resolves when the server is ready. @throws if `serverFactory` is not a function */
export function openStdioServer<Context>(options: SetupStdioServerOptions<Context>): Promise<StdioSetup> {
  const open = async () => {
    const { serverFactory, logger } = options;
    assertFactory(serverFactory);
    const transport = await openStdio<Context>({ serverFactory }, options);
    logger?.info("MCP server is ready (stdio).");
    const closed = transport.closed.then(() => logger?.info("MCP server has stopped."));
    return { closed, close: () => transport.close().then(() => closed) };
  };
  return open();
}

function assertFactory(value: unknown): void {
  if (typeof value !== "function")
    throw new Error(`\`serverFactory\` must be a function that returns a server; got ${typeof value}.`);
}

const STREAM_NAMES: OptionNames<StdioStreams> = { input: true, output: true };

async function openStdio<Context>(
  origin: ServerOrigin<Context>,
  { streams, context, logger }: Omit<SetupStdioServerOptions<Context>, "serverFactory">,
): Promise<StdioTransport> {
  if (streams !== undefined) assertKnownOptions(streams, { label: "`streams`", names: STREAM_NAMES });
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

/** The subset of an Express application that `setupHttpServer` uses. */
export interface ExpressLike {
  use(path: string, handler: HttpMcpRouter): unknown;
}

/** Options for `setupHttpServer`. */
export interface SetupHttpServerOptions<Context = unknown> extends Omit<
  HttpMcpRouterOptions<Context>,
  "mcpServer" | "serverFactory"
> {
  /** Creates the server. Called once for a Tenon server, and once per session for official SDK servers. */
  readonly serverFactory: ServerFactory<Context>;
  /** Express application, or a compatible one, that handles the HTTP requests. */
  readonly app: ExpressLike & Parameters<typeof listen>[0];
  /** Port to listen on, from 0 to 65535. 0 picks a free port. */
  readonly port: number;
  /**
   * Address to listen on. A non-loopback address requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /** Path of the endpoint. @default "/mcp" */
  readonly path?: string;
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
  assertKnownOptions(options, { label: "setupHttpServer", names: SETUP_NAMES, aliases: ALIASES });
  return openHttpServer<Context>(options);
}

const SETUP_NAMES: OptionNames<SetupHttpServerOptions> = {
  ...HTTP_OPTION_NAMES,
  logger: true,
  serverFactory: true,
  app: true,
  port: true,
  host: true,
  path: true,
};

/** Mounts the endpoint and listens, with options whose names are known. */
export const openHttpServer = async <Context>(
  options: SetupHttpServerOptions<Context>,
): Promise<HttpSetup> => {
  const { app, port, host = "127.0.0.1", path = "/mcp", logger, ...endpoint } = options;
  // JavaScript callers may omit any option.
  if ((port as number | undefined) === undefined) throw new Error("Port is required for HTTP transport");
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`\`port\` must be an integer from 0 to 65535; got ${port}.`);
  if (typeof (app as ExpressLike | undefined)?.use !== "function") {
    throw new Error("Express app is required for HTTP transport");
  }
  assertFactory(options.serverFactory);
  const router = createEndpoint<Context>({ ...endpoint, ...(logger === undefined ? {} : { logger }) });
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
};
