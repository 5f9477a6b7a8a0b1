/**
 * @fileoverview Serves on the transport that a configuration selects.
 * @module kit/serving/setup-transport
 */
import { HTTP_OPTION_NAMES } from "tenon/host";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { read } from "@tenon/internal/security/safe-text";
import type { TransportConfig } from "tenon/node";
import type { ParsedTransportConfig } from "../config/parse-config.js";
import { ALIASES } from "./option-names.js";
import type { NeedsContext } from "./router.js";
import {
  type HttpSetup,
  openHttpServer,
  openStdioServer,
  type SetupHttpServerOptions,
  type SetupStdioServerOptions,
  type StdioSetup,
} from "./setup.js";

/** Options for `setupTransport`: the options for both transports, and the result of `parseConfig`. */
export interface SetupTransportOptions<Context = unknown>
  extends
    Omit<SetupHttpServerOptions<Context>, "app" | "port" | "context">,
    Pick<SetupStdioServerOptions<Context>, "streams" | "context">,
    Partial<Omit<ParsedTransportConfig, "transport" | "host">> {
  /** Transport to serve on. Options for the other transport are ignored. */
  readonly transport: TransportConfig;
  /** Express application, or a compatible one. Required for HTTP. */
  readonly app?: SetupHttpServerOptions<Context>["app"];
}

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
  assertKnownOptions(options, { label: "setupTransport", names: NAMES, aliases: ALIASES });
  const { transport, serverFactory, logger, context, help } = options;
  if (help !== undefined) throw new Error(HELP);
  assertTransport(transport);
  if (transport.type === "http")
    return openHttpServer<Context>(toHttpOptions<Context>(options, transport.port));
  return openStdioServer<Context>({
    serverFactory,
    ...(logger === undefined ? {} : { logger }),
    ...(context === undefined ? {} : { context }),
    ...(options.streams === undefined ? {} : { streams: options.streams }),
  });
}

const HELP =
  "`help` is set, because the command line contains --help. Print the text in `help` instead of starting a server.";

/** Options shared with `setupHttpServer`. */
const SHARED_NAMES = {
  ...HTTP_OPTION_NAMES,
  logger: true,
  serverFactory: true,
  app: true,
  host: true,
  path: true,
} as const;

const NAMES: OptionNames<SetupTransportOptions> = {
  ...SHARED_NAMES,
  transport: true,
  streams: true,
  headless: true,
  help: true,
  logLevel: true,
  redirectUri: true,
  redirectUrl: true,
  port: true,
  extra: true,
};

function assertTransport(transport: unknown): asserts transport is TransportConfig {
  const type = read(transport, "type");
  if (type === "stdio" || type === "http") return;
  const got = type === undefined ? kindOf(transport) : `the type ${showValue(type)}`;
  throw new Error(
    `\`transport\` must be { type: "stdio" } or { type: "http", port }; got ${got}. \`parseConfig\` returns one.`,
  );
}

/** Selects the options for HTTP. Uses the transport's `port`, not the top-level copy. */
function toHttpOptions<Context>(
  options: SetupTransportOptions<Context>,
  port: number,
): SetupHttpServerOptions<Context> {
  const shared = Object.entries(options).filter(([name]) => Object.hasOwn(SHARED_NAMES, name));
  // Safe: `setupHttpServer` throws if the application is missing.
  return { ...(Object.fromEntries(shared) as unknown as SetupHttpServerOptions<Context>), port };
}
