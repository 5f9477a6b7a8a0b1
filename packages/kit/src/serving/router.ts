/**
 * @fileoverview HTTP endpoint as a `(req, res, next)` function for Express, Connect, and `node:http`.
 * @module kit/serving/router
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpOptions } from "tenon/fetch";
import { type NodeHandler, toNodeHandler } from "tenon/node";
import type { Logger } from "tenon";
import { type ServerOrigin, toServerSource } from "@tenon/sdk";

/** Options for `createHttpMcpRouter`. */
export interface HttpMcpRouterOptions<Context> extends HttpOptions<Context>, ServerOrigin<Context> {
  /** Receives internal errors, which are not sent to clients. */
  readonly logger?: Logger;
}

/** Endpoint that can be mounted at any path. */
export interface HttpMcpRouter extends NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
}

/**
 * Creates an endpoint that can be mounted at any path, before or after a body parser.
 *
 * @example app.use("/api/mcp", createHttpMcpRouter({ mcpServer, logger }));
 * @throws if both `mcpServer` and `serverFactory` are missing
 */
export function createHttpMcpRouter<Context = unknown>(
  options: HttpMcpRouterOptions<Context>,
): HttpMcpRouter {
  const { mcpServer, serverFactory, logger, ...http } = options;
  const source = toServerSource<Context>(
    {
      ...(mcpServer === undefined ? {} : { mcpServer }),
      ...(serverFactory === undefined ? {} : { serverFactory }),
    },
    logger,
  );
  if (source.shared === undefined && serverFactory === undefined && http.legacy === "stateless") {
    throw new Error(
      "`serverFactory` is required in stateless mode, because each request needs its own server.",
    );
  }
  const handler = toNodeHandler(source, http);
  const router = (request: IncomingMessage, response: ServerResponse) => handler(request, response);
  logger?.debug("MCP endpoint is ready.");
  return Object.assign(router, {
    close(graceMs?: number) {
      source.end();
      return handler.close(graceMs);
    },
  });
}
