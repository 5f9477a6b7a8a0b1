/**
 * @fileoverview HTTP endpoint as a `(req, res, next)` function for Express, Connect, and `node:http`.
 * @module kit/serving/router
 */
import { assertOptions, pickOptions } from "@tenon/internal/options/define-options";
import type { ContextSource, HttpOptions } from "tenon/fetch";
import { HTTP_OPTIONS } from "tenon/host";
import { toNodeHandler } from "tenon/node";
import { toServerSource } from "@tenon/sdk/adapters";
import { toExpressRouter } from "./express-router.js";
import { type HttpMcpRouter, type HttpMcpRouterOptions, ROUTER_OPTIONS } from "./options.js";

/**
 * Creates an endpoint that can be mounted at any path, before or after a body parser.
 *
 * @example app.use("/api/mcp", createHttpMcpRouter({ mcpServer, logger }));
 * @throws if an option is unknown or invalid, or both `mcpServer` and `serverFactory` are missing
 */
export function createHttpMcpRouter<Context = unknown>(
  options: HttpMcpRouterOptions<Context> & NeedsContext<NoInfer<Context>, ContextSource<NoInfer<Context>>>,
): HttpMcpRouter {
  assertOptions(ROUTER_OPTIONS, options);
  return createEndpoint(options);
}

/** Requires options with the context if the server declares one. Otherwise, its handlers would receive `undefined`. */
export type NeedsContext<Context, Source = { readonly context: Context }> = unknown extends Context
  ? unknown
  : undefined extends Context
    ? unknown
    : Source;

/** Creates an endpoint from options that were checked. Options of other functions are ignored. */
export function createEndpoint<Context>(options: HttpMcpRouterOptions<Context>): HttpMcpRouter {
  const { mcpServer, serverFactory, logger, legacy, context } = options;
  const source = toServerSource<Context>({ mcpServer, serverFactory }, logger);
  if (source.shared === undefined && serverFactory === undefined && legacy === "stateless") {
    throw new Error(
      "`serverFactory` is required in stateless mode, because each request requires its own server.",
    );
  }
  // Safe: the context is undefined only if the server does not declare one.
  const handler = toNodeHandler(source, {
    ...(pickOptions(HTTP_OPTIONS, options) as HttpOptions<Context>),
    context: context as Context,
  });
  const router = toExpressRouter((request, response) => handler(request, response));
  logger?.debug("MCP endpoint is ready.");
  return Object.assign(router, {
    close(graceMs?: number) {
      source.end();
      return handler.close(graceMs);
    },
  });
}
