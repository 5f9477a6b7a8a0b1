/**
 * @fileoverview Options for `serve`, and the checks that run before it starts.
 * @module transport/node/serve-options
 */
import { showValue } from "@tenon/internal/kind-of";
import { assertOptions } from "@tenon/internal/options/define-options";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { HTTP_OPTION_ALIASES, HTTP_OPTION_NAMES, HTTP_OPTIONS, type HttpOptions } from "../http/options.js";

/** Transport to serve on. */
export type TransportConfig = { readonly type: "stdio" } | { readonly type: "http"; readonly port: number };

/** Options for `serve`. */
export interface ServeOptions<Context> extends HttpOptions<Context> {
  /**
   * Port to serve HTTP on. Short for `transport: { type: "http", port }`. 0 picks a free port.
   */
  readonly port?: number;
  /**
   * Transport to serve on.
   * @default HTTP if `port` is set, otherwise stdio
   */
  readonly transport?: TransportConfig;
  /**
   * Address to listen on. An address that other machines can reach requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Path of the HTTP endpoint.
   * @default "/mcp"
   */
  readonly path?: string;
  /**
   * Time for calls in flight to finish on shutdown, in milliseconds.
   * @default 10000
   */
  readonly graceMs?: number;
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true
   */
  readonly signals?: boolean;
  /**
   * Prints one line to standard error when the server has started: its address or, on a terminal, that it is waiting
   * for a client.
   * @default true
   */
  readonly banner?: boolean;
  /**
   * Number of processes that serve requests on the port. `"auto"` starts one per CPU core. They run the same program,
   * share sessions and tasks, and are replaced if they end.
   * @default requests are served in this process
   */
  readonly workers?: number | "auto";
  /**
   * Serves metrics for Prometheus on `/metrics`. Everybody who can reach the port can read them.
   * @default false
   */
  readonly metrics?: boolean;
  /** Text to print instead of serving, as returned by `parseConfig` for `--help`. */
  readonly help?: string | undefined;
}

/** Checks the options and returns the transport that they select. @throws {TypeError} with the option and the fix */
export function resolveTransport(options: ServeOptions<unknown>): TransportConfig {
  for (const name of Object.keys(options)) {
    if (SERVER_OPTIONS.has(name))
      throw new TypeError(
        `serve: \`${name}\` is an option of \`defineServer\`, not of \`serve\`. Move it there.`,
      );
  }
  assertKnownOptions(options, { label: "serve", names: { ...NAMES, ...CONFIG_NAMES }, aliases: ALIASES });
  assertValues(options);
  assertOptions(HTTP_OPTIONS, toHttpOptions(options), "serve");
  return selectTransport(options);
}

/** Returns the HTTP options among the options for `serve`. */
export function toHttpOptions<Context>(options: ServeOptions<Context>): HttpOptions<Context> {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(HTTP_OPTION_NAMES, name)),
  );
}

/** Asserts that a port is valid. @throws {TypeError} that starts with `label` */
export function assertPort(port: unknown, label: string): void {
  if (typeof port === "number" && Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  const fix = typeof port === "string" && /^\d+$/.test(port) ? " Convert it with `Number`." : "";
  throw new TypeError(`${label} must be an integer from 0 to 65535; got ${showValue(port)}.${fix}`);
}

const NAMES: OptionNames<ServeOptions<unknown>> = {
  ...HTTP_OPTION_NAMES,
  port: true,
  transport: true,
  host: true,
  path: true,
  graceMs: true,
  signals: true,
  banner: true,
  workers: true,
  metrics: true,
  help: true,
};

/** Other members of the configuration that `parseConfig` from `@tenon/kit` returns. `serve` ignores them. */
const CONFIG_NAMES = {
  headless: true,
  logLevel: true,
  redirectUri: true,
  redirectUrl: true,
  extra: true,
} as const;

const ALIASES: Readonly<Record<string, string>> = {
  ...HTTP_OPTION_ALIASES,
  type: "transport",
  mode: "transport",
  hostname: "host",
  address: "host",
  endpoint: "path",
  url: "path",
  processes: "workers",
  cluster: "workers",
  redis: "store",
  quiet: "banner",
  silent: "banner",
};

const SERVER_OPTIONS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "name",
  "version",
  "instructions",
  "log",
  "exposeErrors",
]);

/** Options that have no effect over stdio. */
const HTTP_ONLY: readonly (keyof ServeOptions<unknown>)[] = [
  "host",
  "path",
  "authorization",
  "authenticate",
  "allowedHosts",
  "allowedOrigins",
  "corsOrigins",
  "legacy",
  "legacySse",
  "sessions",
  "trustedProxies",
  "store",
  "workers",
  "metrics",
];

/** Options that no source of configuration sets for stdio, so that they are a mistake there. */
const NEVER_STDIO = ["store", "workers", "metrics"] as const;

function assertValues({ path, host, graceMs, workers, metrics }: ServeOptions<unknown>): void {
  if (
    workers !== undefined &&
    workers !== "auto" &&
    !(Number.isInteger(workers) && workers >= 1 && workers <= 512)
  )
    throw new TypeError(
      `serve: \`workers\` must be "auto" or an integer from 1 to 512; got ${showValue(workers)}.`,
    );
  if (metrics !== undefined && typeof metrics !== "boolean")
    throw new TypeError(`serve: \`metrics\` must be a boolean; got ${showValue(metrics)}.`);
  if (path !== undefined && !(typeof path === "string" && /^\/[^\s?#]*$/.test(path)))
    throw new TypeError(`serve: \`path\` must start with "/", such as "/mcp"; got ${showValue(path)}.`);
  if (host !== undefined && typeof host !== "string")
    throw new TypeError(`serve: \`host\` must be a host name or an IP address; got ${showValue(host)}.`);
  if (graceMs !== undefined && !(typeof graceMs === "number" && graceMs >= 0))
    throw new TypeError(
      `serve: \`graceMs\` must be a non-negative number (milliseconds); got ${showValue(graceMs)}.`,
    );
}

function selectTransport(options: ServeOptions<unknown>): TransportConfig {
  const { port } = options;
  const transport = options.transport as unknown; // JavaScript callers can pass any value
  if (port !== undefined) assertPort(port, "serve: `port`");
  if (transport === undefined) return port === undefined ? stdioUnlessHttp(options) : { type: "http", port };
  if (!isTransport(transport)) throw new TypeError(`${EXPECTED_TRANSPORT}; got ${showValue(transport)}.`);
  assertTransportNames(transport);
  if (transport.type === "stdio") {
    const stray = NEVER_STDIO.find((name) => options[name] !== undefined);
    if (stray !== undefined)
      throw new TypeError(
        `serve: \`${stray}\` applies only to HTTP. Remove it, or use \`transport: { type: "http", port: 3000 }\`.`,
      );
    if (port === undefined) return { type: "stdio" };
    throw new TypeError(
      'serve: `port` cannot be combined with `transport: { type: "stdio" }`. Remove one of them.',
    );
  }
  if (transport.type !== "http")
    throw new TypeError(`${EXPECTED_TRANSPORT}; got ${showValue(transport.type)}.`);
  const chosen = transport.port ?? port;
  if (chosen === undefined)
    throw new TypeError("serve: `port` is required to serve over HTTP. Add `port: 3000`.");
  assertPort(chosen, "serve: `transport.port`");
  if (port !== undefined && port !== chosen)
    throw new TypeError(
      `serve: \`port\` is ${port}, but \`transport.port\` is ${showValue(chosen)}. Remove one of them.`,
    );
  return { type: "http", port: chosen as number }; // Safe: checked above
}

/** Selects stdio if neither `transport` nor `port` is set. @throws if other options show that HTTP was meant */
function stdioUnlessHttp(options: ServeOptions<unknown>): TransportConfig {
  const stray = HTTP_ONLY.find((name) => options[name] !== undefined);
  if (stray === undefined) return { type: "stdio" };
  throw new TypeError(
    `serve: \`${stray}\` applies only to HTTP, and without \`port\` the server uses stdio. ` +
      `Add \`port: 3000\` to serve over HTTP, or remove \`${stray}\`.`,
  );
}

const EXPECTED_TRANSPORT = 'serve: `transport` must be `{ type: "stdio" }` or `{ type: "http", port: 3000 }`';

function assertTransportNames(transport: LooseTransport): void {
  for (const name of Object.keys(transport)) {
    if (!Object.hasOwn(TRANSPORT_NAMES, name) && Object.hasOwn(NAMES, name))
      throw new TypeError(
        `serve: \`${name}\` is an option of \`serve\`, not of \`transport\`. Move it out of \`transport\`.`,
      );
  }
  assertKnownOptions(transport, { label: "serve: `transport`", names: TRANSPORT_NAMES });
}

const TRANSPORT_NAMES = { type: true, port: true } as const;

interface LooseTransport {
  readonly type?: unknown;
  readonly port?: unknown;
}

function isTransport(value: unknown): value is LooseTransport {
  return typeof value === "object" && value !== null;
}
