/**
 * @fileoverview `serve`: runs a server over stdio or HTTP, in one process or several, with graceful shutdown on signals.
 * @module tenon/transport/node/serve
 */
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { printToStderr } from "../default-log.js";
import type { ContextSource } from "../http/authorization.js";
import { sharedSource } from "../http/server-source.js";
import type { OptionsFor } from "../options-for.js";
import { httpStartLine, warnOfOpenScopes } from "../start-line.js";
import { serveStdio } from "../stdio/serve-stdio.js";
import { stopOnSignals } from "../stdio/stop-on-signals.js";
import { runHttp, type Running } from "./run-http.js";
import { parseServeOptions, type ServeOptions, type ServeSettings } from "./serve-options.js";

/**
 * Serves over stdio by default, or over HTTP if `port` or `transport` selects it. Prints one line to standard error
 * when the server has started, and unexpected failures of servers without `log`.
 *
 * @example await serve(server, { port: 3000 });
 * @throws if an option is unknown or invalid, if the port is in use, if the store cannot be opened, or if other
 * machines can reach the address and `allowedHosts` is not set
 */
export async function serve<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, ServeOptions<NoInfer<Context>>, ContextSource<NoInfer<Context>>>
): Promise<Running> {
  const options = parseServeOptions<Context>(rest[0] ?? {});
  const { transport } = options;
  if (options.help !== undefined) {
    process.stdout.write(`${options.help}\n`);
    return {
      url: undefined,
      httpServer: undefined,
      closed: Promise.resolve(),
      close: () => Promise.resolve(),
      drain: () => Promise.resolve(),
    };
  }
  const hosted = toServer<Context, Tools>(server);
  if (transport.type === "stdio") return runStdio(hosted, options);
  return startHttp(hosted, transport.port, options);
}

function runStdio<Context>(
  server: HostedServer<Context>,
  { context, limits, banner, signals }: ServeSettings<Context>,
): Running {
  const { closed, close } = serveStdio<Context, ToolMap>(server, {
    signals,
    banner,
    limits,
    context: context as Context, // Safe: `undefined` only if the server declares no context
  });
  return { url: undefined, httpServer: undefined, closed, close, drain: () => Promise.resolve() };
}

async function startHttp<Context>(
  server: HostedServer<Context>,
  port: number,
  options: ServeSettings<Context>,
): Promise<Running> {
  const onStarted = (url: string, workers?: number) => {
    if (options.banner) printToStderr(httpStartLine(server, url, workers));
    warnOfOpenScopes(sharedSource(server), options, printToStderr);
  };
  if (options.workers !== undefined) {
    // Most programs do not use workers, and `node:cluster` takes time to load.
    const { serveWorkers } = await import("./workers/serve-workers.js");
    const workers = await serveWorkers(server, { port, options, onStarted });
    if (options.signals) stopOnSignals(workers);
    return workers;
  }
  const running = await runHttp(server, { port, options });
  // Whoever has read the line may send a signal.
  if (options.signals) stopOnSignals(running);
  onStarted(running.url ?? "");
  return running;
}
