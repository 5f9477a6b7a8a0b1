/**
 * @fileoverview Serves on the transport that a configuration selects.
 * @module kit/serving/setup-transport
 */
import { assertOptions, pickOptions } from "@tenon/internal/options/define-options";
import {
  HTTP_SETUP,
  type SetupHttpServerOptions,
  type SetupTransportOptions,
  TRANSPORT_SETUP,
} from "./options.js";
import type { NeedsContext } from "./router.js";
import { type HttpSetup, openHttpServer, openStdioServer, type StdioSetup } from "./setup.js";

/**
 * Serves over stdio or HTTP, as the configuration selects, and resolves when the server is ready.
 *
 * @example
 * const config = parseConfig(process.argv.slice(2), process.env);
 * const running = await setupTransport({ ...config, serverFactory, app: express() });
 * if ("httpServer" in running) console.error(running.httpServer.address());
 * @throws if an option is unknown or invalid, `help` is set, or the port is in use
 */
export async function setupTransport<Context = unknown>(
  options: SetupTransportOptions<Context> & NeedsContext<NoInfer<Context>>,
): Promise<StdioSetup | HttpSetup> {
  assertOptions(TRANSPORT_SETUP, options);
  const { transport, serverFactory, logger, context, streams, help } = options;
  if (help !== undefined) throw new Error(HELP);
  if (transport.type === "stdio")
    return openStdioServer<Context>({ serverFactory, logger, context, streams });
  // Safe: `openHttpServer` throws if the application is missing.
  const http = pickOptions(HTTP_SETUP, options) as unknown as SetupHttpServerOptions<Context>;
  // The transport's port, not the top-level copy.
  return openHttpServer<Context>({ ...http, port: transport.port }, TRANSPORT_SETUP.label);
}

const HELP =
  "`help` is set, because the command line contains --help. Print the text in `help` instead of starting a server.";
