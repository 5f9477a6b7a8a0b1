/**
 * @fileoverview HTTP endpoint as a `(req, res, next)` function for Express, Connect, and `node:http`.
 * @module kit/serving/router
 */
import { HTTP_OPTION_NAMES } from "tenon/host";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { ContextSource, HttpOptions } from "tenon/fetch";

import { type NodeHandler, toNodeHandler } from "tenon/node";
import type { Logger } from "tenon";
import { type ServerOrigin, toServerSource } from "@tenon/sdk/adapters";
import { type ExpressRouter, toExpressRouter } from "./express-router.js";
import { ALIASES } from "./option-names.js";

/** Options for `createHttpMcpRouter`. */
export interface HttpMcpRouterOptions<Context = unknown> extends HttpOptions<Context>, ServerOrigin<Context> {
  /**
   * Receives handler failures, and internal errors that are not sent to clients.
   * @default unexpected failures are written with `console.error`
   */
  readonly logger?: Logger;
}

/**
 * Endpoint that can be mounted at any path. It has an Express router's methods. Handlers added with them run before
 * the endpoint.
 */
export type HttpMcpRouter = ExpressRouter & Pick<NodeHandler, "close">;

/**
 * Creates an endpoint that can be mounted at any path, before or after a body parser.
 *
 * @example app.use("/api/mcp", createHttpMcpRouter({ mcpServer, logger }));
 * @throws if an option is unknown or invalid, or both `mcpServer` and `serverFactory` are missing
 */
export function createHttpMcpRouter<Context = unknown>(
  options: HttpMcpRouterOptions<Context> & NeedsContext<NoInfer<Context>, ContextSource<NoInfer<Context>>>,
): HttpMcpRouter {
  assertKnownOptions(options, { label: "createHttpMcpRouter", names: NAMES, aliases: ALIASES });
  return createEndpoint(options);
}

const NAMES: OptionNames<HttpMcpRouterOptions> = {
  ...HTTP_OPTION_NAMES,
  logger: true,
  mcpServer: true,
  serverFactory: true,
};

/** Requires options with the context if the server declares one. Otherwise, its handlers would receive `undefined`. */
export type NeedsContext<Context, Source = { readonly context: Context }> = unknown extends Context
  ? unknown
  : undefined extends Context
    ? unknown
    : Source;

/** Creates an endpoint from options with known names. */
export function createEndpoint<Context>(options: HttpMcpRouterOptions<Context>): HttpMcpRouter {
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
      "`serverFactory` is required in stateless mode, because each request requires its own server.",
    );
  }
  // Safe: the context is undefined only if the server does not declare one.
  const handler = toNodeHandler(source, { ...http, context: http.context as Context });
  const router = toExpressRouter((request, response) => handler(request, response));
  logger?.debug("MCP endpoint is ready.");
  return Object.assign(router, {
    close(graceMs?: number) {
      source.end();
      return handler.close(graceMs);
    },
  });
}
