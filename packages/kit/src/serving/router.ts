/**
 * @fileoverview An HTTP endpoint as a plain `(req, res, next)` function, which Express, Connect and `node:http` take.
 * @module kit/router
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpOptions } from "tenon/fetch";
import { HttpPipeline } from "tenon/host";
import { type NodeHandler, pipelineHandler } from "tenon/node";
import type { Logger } from "tenon";
import { type ServerOrigin, toServerSource } from "@tenon/sdk";

/** An endpoint, its server or servers, and where it logs. */
export interface HttpMcpRouterOptions<Context> extends HttpOptions<Context>, ServerOrigin<Context> {
  readonly logger?: Logger;
}

/** An endpoint to mount anywhere. */
export interface HttpMcpRouter extends NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
}

/**
 * An endpoint to mount on an application at any path, before or after a body parser.
 *
 * @example app.use("/api/mcp", createHttpMcpRouter({ mcpServer, logger }));
 * @throws where there is no server
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
  const pipeline = new HttpPipeline<Context>(source, http);
  logger?.debug("MCP endpoint is ready");
  return Object.assign(pipelineHandler(pipeline), {
    close(graceMs = 10_000) {
      source.end();
      return pipeline.drain(graceMs);
    },
  });
}
