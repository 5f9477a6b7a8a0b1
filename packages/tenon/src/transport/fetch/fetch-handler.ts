/**
 * @fileoverview Web-standard adapter for the HTTP pipeline. Takes a `Request` and returns a `Response`, for Hono, Bun,
 * Deno, and Workers.
 * @module tenon/transport/fetch/fetch-handler
 */
import { assertOptions } from "@tenon/internal/options/define-options";
import { checkHeaderCount } from "@tenon/internal/security/header-count";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { createDefaultLog, printToConsole } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { HTTP_OPTIONS, type HttpOptions } from "../http/options.js";
import { HttpPipeline } from "../http/pipeline.js";
import { refuseHeaderCount } from "../http/refusals.js";
import { sharedSource, startSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { warnOfOpenScopes } from "../start-line.js";
import { findExchange, isUnusedRequestOf } from "../node-requests/node-connection.js";
import type { NodeExchange } from "../node-requests/node-request-context.js";
import { BridgedHttpContext } from "./bridged-context.js";
import { WebHttpContext } from "./web-context.js";
import { createAbandonedResponse } from "./web-replies.js";

/** Function that maps a `Request` to a `Response`. */
export interface FetchHandler {
  /**
   * @param connection second argument that the runtime passes to its handler, such as the one from `@hono/node-server`,
   * or `c.env` in Hono. Used to limit calls per connection.
   */
  (request: Request, connection?: unknown): Promise<Response>;
  /** Rejects new requests. Resolves when the requests in flight have finished, or after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Creates a request handler for runtimes with web-standard APIs.
 *
 * @example export default { fetch: toFetch(server, { allowedHosts: ["mcp.example.com"] }) };
 * @throws if an option is unknown or invalid
 */
export function toFetch<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, HttpOptions<NoInfer<Context>>, ContextSource<NoInfer<Context>>>
): FetchHandler {
  const options: HttpOptions<Context> = rest[0] ?? {};
  assertOptions(HTTP_OPTIONS, options, "toFetch");
  const source = startSource(
    sharedSource(toServer<Context, Tools>(server)),
    createDefaultLog(printToConsole),
  );
  warnOfOpenScopes(source, options, printToConsole);
  const pipeline = new HttpPipeline<Context>(source, options);
  const handler = (request: Request, connection?: unknown) =>
    new Promise<Response>((resolve) => {
      const exchange = findExchange(connection);
      if (exchange === undefined) pipeline.take(new WebHttpContext(request, pipeline, resolve));
      else takeBridged(pipeline, { request, exchange, resolve });
    });
  return Object.assign(handler, { close: (graceMs = 10_000) => pipeline.drain(graceMs) });
}

/** Request of a bridge, and the `node:http` objects behind it. */
interface BridgedRequest {
  readonly request: Request;
  readonly exchange: NodeExchange;
  readonly resolve: (response: Response) => void;
}

function takeBridged<Context>(
  pipeline: HttpPipeline<Context>,
  { request, exchange, resolve }: BridgedRequest,
): void {
  const { incoming, outgoing } = exchange;
  const isQueued = outgoing.socket === null;
  if (isQueued && !pipeline.pipelining.admit(incoming.socket, outgoing))
    return resolve(createAbandonedResponse());
  const context = isUnusedRequestOf(request, exchange)
    ? new BridgedHttpContext(exchange, pipeline, resolve)
    : new WebHttpContext(request, pipeline, resolve).attach(exchange);
  const count = checkHeaderCount(incoming);
  return count.ok ? pipeline.take(context) : refuseHeaderCount(context, count.limit);
}
