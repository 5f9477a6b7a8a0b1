/**
 * @fileoverview Runs a server over HTTP in this process: opens its store, listens, and stops gracefully.
 * @module tenon/transport/node/run-http
 */
import type { Server as HttpServer } from "node:http";
import { pickOptions } from "@tenon/internal/options/define-options";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { createDefaultLog, printToStderr } from "../default-log.js";
import { HTTP_OPTIONS, type HttpOptions } from "../http/options.js";
import { sharedSource, startSource } from "../http/server-source.js";
import { untilIdle } from "../until-idle.js";
import type { Stoppable } from "../stdio/stop-on-signals.js";
import { closeWithResponses } from "./connection-state.js";
import { type Metric, renderMetrics } from "./health/metrics-text.js";
import { NodeMetrics, readStoreMetrics } from "./health/node-metrics.js";
import { Readiness } from "./health/readiness.js";
import { createRoute } from "./health/routes.js";
import type { Listening } from "./http-listener.js";
import { listen } from "./listen.js";
import { type CountedHandler, createNodeHandler } from "./node-handler.js";
import { openStore } from "./open-store.js";
import type { ServeSettings } from "./serve-options.js";

/** Running server. */
export interface Running extends Stoppable {
  /** URL of the HTTP endpoint. `undefined` over stdio. */
  readonly url: string | undefined;
  /** HTTP server. `undefined` over stdio, and in the process that has started workers. */
  readonly httpServer: HttpServer | undefined;
  /** Stops the server. New requests are rejected, and calls in flight may finish within the grace period. */
  readonly close: () => Promise<void>;
  /**
   * Lets `/readyz` fail and connections close with their next response from now on, and resolves after `drainMs`. Until
   * `close`, requests are still served.
   */
  readonly drain: () => Promise<void>;
}

/** Collects the metrics of all processes of a server. */
export type CollectMetrics = (own: readonly Metric[]) => Promise<readonly Metric[]>;

/** Process that runs a server. */
export interface HttpProcess<Context> {
  readonly port: number;
  readonly options: ServeSettings<Context>;
  /** Receives the function that returns the metrics of this process. */
  readonly onMetrics?: (read: () => readonly Metric[]) => void;
  /**
   * Collects metrics.
   * @default those of this process
   */
  readonly collectMetrics?: CollectMetrics;
  /**
   * Prints the warnings of the store.
   * @default to standard error
   */
  readonly print?: (text: string) => void;
}

/** Runs a server over HTTP. @throws if its store cannot be opened, or if it cannot listen */
export async function runHttp<Context>(
  server: HostedServer<Context>,
  { port, options, print = printToStderr, ...hooks }: HttpProcess<Context>,
): Promise<Running> {
  const { store: given, metrics: hasMetrics, graceMs, drainMs, host, path, allowedHosts } = options;
  const counters = hasMetrics ? new NodeMetrics() : undefined;
  const store = given === undefined ? undefined : (counters?.timings.measure(given) ?? given);
  const release = store === undefined ? undefined : await openStore(store, print);
  try {
    const handler = createHandler(server, { ...options, store });
    const readiness = new Readiness({ ping: store && (() => store.ping()) });
    const readOwn = () => {
      const { inFlight, openSessions } = handler;
      return (
        counters?.own({ inFlight, openSessions, logCounts: server.operations?.logCounts ?? new Map() }) ?? []
      );
    };
    hooks.onMetrics?.(readOwn);
    const { collectMetrics = async (own) => own } = hooks;
    const readMetrics = async () => {
      const ofStore = await readStoreMetrics(store, await readiness.checkStore());
      return renderMetrics([...(await collectMetrics(readOwn())), ...ofStore]);
    };
    const route = createRoute({
      endpoint: path,
      paths: pathsOf(options),
      handler: counters === undefined ? handler : counters.count(handler),
      isReady: () => readiness.check(),
      readMetrics: counters === undefined ? undefined : readMetrics,
    });
    const http = await listen(route, { port, host, allowedHosts });
    const stop = async () => {
      readiness.stop();
      await stopHttp(server, { handler, http, graceMs });
      await release?.();
    };
    const drain = () => {
      readiness.stop();
      closeWithResponses(http.server, route);
      return drainFor(drainMs, http.closed);
    };
    let draining: Promise<void> | undefined;
    let closing: Promise<void> | undefined;
    return {
      url: urlOf(options, http.port),
      httpServer: http.server,
      closed: http.closed,
      close: () => (closing ??= stop()),
      drain: () => (draining ??= drain()),
    };
  } catch (error) {
    await release?.();
    throw error;
  }
}

/** Waits until load balancers have noticed that a server is about to end, or until it has ended. */
export async function drainFor(drainMs: number, closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([passed, closed]);
  clearTimeout(timer);
}

/** Returns the URL of the endpoint on a port. */
export function urlOf({ host, path }: Pick<ServeSettings<unknown>, "host" | "path">, port: number): string {
  return `http://${toHostName(host)}:${port}${path}`;
}

function createHandler<Context>(
  server: HostedServer<Context>,
  options: ServeSettings<Context>,
): CountedHandler {
  // Clients of a different loopback address, such as 127.0.0.2, send that address as the Host.
  const allowedHosts = options.allowedHosts ?? [...LOOPBACK_HOSTS, toHostName(options.host)];
  const source = startSource(sharedSource(server), createDefaultLog(printToStderr));
  return createNodeHandler(source, {
    // Safe: the options of the endpoint, with their types
    ...(pickOptions(HTTP_OPTIONS, options) as HttpOptions<Context>),
    allowedHosts,
  });
}

function pathsOf<Context>({ path, legacySse, authorization }: ServeSettings<Context>): ReadonlySet<string> {
  return new Set([
    path,
    ...(legacySse === true ? ["/sse", "/messages"] : []),
    ...(authorization?.metadata?.paths ?? []),
  ]);
}

interface HttpParts {
  readonly handler: CountedHandler;
  readonly http: Listening;
  readonly graceMs: number;
}

async function stopHttp(server: HostedServer<never>, { handler, http, graceMs }: HttpParts): Promise<void> {
  const deadline = Date.now() + graceMs;
  server.close();
  // The port stays open until the last call and task is done: new requests get 503 instead of a broken connection, and
  // the probes get their responses.
  await handler.close(graceMs);
  await untilIdle(server, deadline - Date.now());
  await http.close(deadline);
}
