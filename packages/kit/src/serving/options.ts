/**
 * @fileoverview Options of the functions that serve a server.
 * @module kit/serving/options
 */
import type { Readable, Writable } from "node:stream";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom, integer, object, text } from "@tenon/internal/options/option-rows";
import { read } from "@tenon/internal/security/safe-text";
import { showValue } from "@tenon/internal/kind-of";
import type { AnyServer, ServerFactory, ServerOrigin } from "@tenon/sdk/adapters";
import type { Logger } from "tenon";
import type { HttpOptions } from "tenon/fetch";
import { HTTP_OPTIONS } from "tenon/host";
import type { listen, NodeHandler, TransportConfig } from "tenon/node";
import type { ParsedTransportConfig } from "../config/parse-config.js";
import type { ExpressRouter } from "./express-router.js";

const FACTORY = {
  expected: "a function that returns a server",
  accepts: (value: unknown) => typeof value === "function",
  aliases: ["factory", "createServer"],
} as const;

const LOGGER = /* @__PURE__ */ custom<Logger>({ aliases: ["log"] });

/** Options for `createHttpMcpRouter`. */
export const ROUTER_OPTIONS = /* @__PURE__ */ defineOptions("createHttpMcpRouter", {
  ...HTTP_OPTIONS.rows,
  /** Server that all requests share. */
  mcpServer: custom<AnyServer>({ aliases: ["server"] }),
  /** Creates the server. Called once for a Tenon server, and once per session for official SDK servers. */
  serverFactory: custom<ServerFactory>(FACTORY),
  /**
   * Receives handler failures, and internal errors that are not sent to clients.
   * @default unexpected failures are written with `console.error`
   */
  logger: LOGGER,
});

/** Options for `createHttpMcpRouter`. */
export interface HttpMcpRouterOptions<Context = unknown>
  extends HttpOptions<Context>, ServerOrigin<Context>, Pick<OptionsOf<typeof ROUTER_OPTIONS>, "logger"> {}

/** Streams for stdio. */
export const STREAMS = /* @__PURE__ */ defineOptions("`streams`", {
  /** Stream to read messages from. */
  input: custom<Readable>({ required: true, expected: "a readable stream" }),
  /** Stream to write messages to. */
  output: custom<Writable>({ required: true, expected: "a writable stream" }),
});

/** Streams to use instead of standard input and output. */
export interface StdioStreams extends OptionsOf<typeof STREAMS> {}

/** Options for `setupStdioServer`. */
export const STDIO_SETUP = /* @__PURE__ */ defineOptions("setupStdioServer", {
  /** Creates the server. Called once. */
  serverFactory: custom<ServerFactory>({ ...FACTORY, required: true }),
  /**
   * Receives handler failures, and a message when the server starts or stops.
   * @default unexpected failures are written to standard error
   */
  logger: LOGGER,
  /** Application context for every request. */
  context: custom<unknown>({ aliases: ["ctx"] }),
  /** Streams to use. @default standard input and output */
  streams: object(STREAMS, { aliases: ["stdio"] }),
});

/** Options for `setupStdioServer`. */
export interface SetupStdioServerOptions<Context = unknown> extends Omit<
  OptionsOf<typeof STDIO_SETUP>,
  "serverFactory" | "context"
> {
  readonly serverFactory: ServerFactory<Context>;
  readonly context?: Context | undefined;
}

/**
 * Endpoint that can be mounted at any path. It has an Express router's methods. Handlers added with them run before
 * the endpoint.
 */
export type HttpMcpRouter = ExpressRouter & Pick<NodeHandler, "close">;

/** The subset of an Express application that `setupHttpServer` uses. */
export interface ExpressLike {
  use(path: string, handler: HttpMcpRouter): unknown;
}

/** Options for `setupHttpServer`. The function itself checks that `app` and `port` are set. */
export const HTTP_SETUP = /* @__PURE__ */ defineOptions("setupHttpServer", {
  ...HTTP_OPTIONS.rows,
  /** Creates the server. Called once for a Tenon server, and once per session for official SDK servers. */
  serverFactory: STDIO_SETUP.rows.serverFactory,
  /** Receives handler failures, and messages when the server starts or stops. */
  logger: LOGGER,
  /** Express application, or a compatible one, that handles the HTTP requests. */
  app: custom<ExpressLike & Parameters<typeof listen>[0]>({ aliases: ["express"] }),
  /** Port to listen on, from 0 to 65535. 0 picks a free port. */
  port: integer({ min: 0, max: 65_535 }),
  /**
   * Address to listen on. A non-loopback address requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  host: text({ default: "127.0.0.1", allowEmpty: true, aliases: ["hostname"] }),
  /** Path of the endpoint. @default "/mcp" */
  path: text({ default: "/mcp", aliases: ["endpoint", "route"] }),
});

/** Options for `setupHttpServer`. */
export interface SetupHttpServerOptions<Context = unknown>
  extends
    Omit<HttpMcpRouterOptions<Context>, "mcpServer" | "serverFactory">,
    Pick<OptionsOf<typeof HTTP_SETUP>, "host" | "path">,
    Required<Pick<OptionsOf<typeof HTTP_SETUP>, "app" | "port">> {
  readonly serverFactory: ServerFactory<Context>;
}

/** Options for `setupTransport`. */
export const TRANSPORT_SETUP = /* @__PURE__ */ defineOptions("setupTransport", {
  ...HTTP_SETUP.rows,
  /** Transport to serve on, as `parseConfig` returns it. */
  transport: custom<TransportConfig>({
    required: true,
    expected: '{ type: "stdio" } or { type: "http", port }',
    accepts: (value) => ["stdio", "http"].includes(String(read(value, "type"))),
    got: (value) => showValue(read(value, "type") ?? value),
    fix: () => "`parseConfig` returns one.",
  }),
  /** Streams for stdio. @default standard input and output */
  streams: STDIO_SETUP.rows.streams,
  // The rest of the result of `parseConfig`.
  /** True if the program runs without a user. Ignored. */
  headless: custom<boolean>(),
  /** Text for `--help`. Ignored. */
  help: custom<string>(),
  /** Log level of the application. Ignored. */
  logLevel: custom<string>(),
  /** Redirect URI for sign-in. Ignored. */
  redirectUri: custom<string>(),
  /** Parts of the redirect URI. Ignored. */
  redirectUrl: custom<object>(),
  /** Values of the application's own flags. Ignored. */
  extra: custom<object>(),
});

/** Options for `setupTransport`: the options for both transports, and the result of `parseConfig`. */
export interface SetupTransportOptions<Context = unknown>
  extends
    Omit<SetupHttpServerOptions<Context>, "app" | "port" | "context">,
    Pick<SetupStdioServerOptions<Context>, "streams" | "context">,
    Partial<Omit<ParsedTransportConfig, "transport" | "host">> {
  /** Transport to serve on. Options for the other transport are ignored. */
  readonly transport: TransportConfig;
  /** Express application, or a compatible one. Required for HTTP. */
  readonly app?: SetupHttpServerOptions<Context>["app"] | undefined;
}
