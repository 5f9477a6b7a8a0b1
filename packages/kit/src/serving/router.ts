/**
 * @fileoverview An HTTP endpoint as a plain `(req, res, next)` function, which Express, Connect and `node:http` take.
 * @module kit/serving/router
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpOptions } from "tenon/fetch";
import { type NodeHandler, toNodeHandler } from "tenon/node";
import type { Logger } from "tenon";
import { type ServerOrigin, toServerSource } from "@tenon/sdk";

/** Settings of an endpoint, its server or servers, and its logger. */
export interface HttpMcpRouterOptions<Context> extends HttpOptions<Context>, ServerOrigin<Context> {
  readonly logger?: Logger;
}

/** An endpoint to mount anywhere. */
export interface HttpMcpRouter extends NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
}

/**
 * Creates an endpoint to mount on an application at any path, before or after a body parser.
 *
 * @example app.use("/api/mcp", createHttpMcpRouter({ mcpServer, logger }));
 * @throws if there is no server
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
    throw new Error("serverFactory is required where each request has a server of its own");
  }
  const handler = toNodeHandler(source, http);
  const router = (request: IncomingMessage, response: ServerResponse) => handler(request, response);
  logger?.debug("MCP endpoint is ready");
  return Object.assign(router, {
    close(graceMs?: number) {
      source.end();
      return handler.close(graceMs);
    },
  });
}
