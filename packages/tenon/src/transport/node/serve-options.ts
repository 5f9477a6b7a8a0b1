/**
 * @fileoverview Options for `serve`, and the checks that run before it starts.
 * @module tenon/transport/node/serve-options
 */
import { showValue } from "@tenon/internal/kind-of";
import {
  assertOptions,
  defineOptions,
  listUnknownNames,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom, flag, integer, number, oneOf, text } from "@tenon/internal/options/option-rows";
import { SERVER_INFO, SERVER_SETTINGS } from "../../core/definitions/options.js";
import { HTTP_OPTIONS, type HttpOptions } from "../http/options.js";
import { LISTEN_OPTIONS, PORT } from "./listen-options.js";

/** Transport to serve on. */
export type TransportConfig = { readonly type: "stdio" } | { readonly type: "http"; readonly port: number };

const TRANSPORT = /* @__PURE__ */ defineOptions("serve: `transport`", {
  /** `"stdio"` or `"http"`. */
  type: oneOf(["stdio", "http"]),
  /** Port for HTTP. 0 picks a free port. */
  port: integer(PORT),
});

/** Options for `serve`. */
export const SERVE_OPTIONS = /* @__PURE__ */ defineOptions("serve", {
  ...HTTP_OPTIONS.rows,
  /** Port to serve HTTP on. Short for `transport: { type: "http", port }`. 0 picks a free port. */
  port: integer(PORT),
  /**
   * Transport to serve on.
   * @default HTTP if `port` is set, otherwise stdio
   */
  transport: custom<TransportConfig>({
    expected: '`{ type: "stdio" }` or `{ type: "http", port: 3000 }`',
    accepts: (value) => TRANSPORT.rows.type.accepts(typeOf(value)),
    got: (value) => showValue(typeOf(value) ?? value),
    aliases: ["type", "mode"],
  }),
  /**
   * Address to listen on. An address that other machines can reach requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  host: LISTEN_OPTIONS.rows.host,
  /**
   * Path of the HTTP endpoint.
   * @default "/mcp"
   */
  path: text({
    default: "/mcp",
    pattern: /^\/[^\s?#]*$/,
    expected: 'a path that starts with "/", such as "/mcp"',
    aliases: ["endpoint", "url"],
  }),
  /**
   * Time for calls in flight to finish on shutdown, in milliseconds.
   * @default 10000
   */
  graceMs: number({ default: 10_000 }),
  /**
   * Time in milliseconds between SIGTERM and the shutdown. `/readyz` fails at once, and requests are still served, so
   * that load balancers can stop sending them. SIGINT and `close` shut down without this delay.
   * @default 5000
   */
  drainMs: number({ default: 5_000 }),
  /**
   * Stops the server on SIGINT or SIGTERM. A second signal exits the process immediately.
   * @default true
   */
  signals: flag({ default: true }),
  /**
   * Prints one line to standard error when the server has started: its address or, on a terminal, that it is waiting
   * for a client.
   * @default true
   */
  banner: flag({ default: true, aliases: ["quiet", "silent"] }),
  /**
   * Number of processes that serve requests on the port. `"auto"` starts one per CPU core. They run the same program,
   * share sessions and tasks, and are replaced if they end.
   * @default requests are served in this process
   */
  workers: integer({ max: 512, or: ["auto"], aliases: ["processes", "cluster"] }),
  /**
   * Serves metrics for Prometheus on `/metrics`. Everybody who can reach the port can read them.
   * @default false
   */
  metrics: flag({ default: false }),
  /** Text to print instead of serving, such as the help for `--help`. */
  help: text(),
});

/** Options for `serve`. */
export interface ServeOptions<Context>
  extends HttpOptions<Context>, Omit<OptionsOf<typeof SERVE_OPTIONS>, keyof HttpOptions<unknown>> {}

/** Options for `serve` with their defaults. The HTTP endpoint adds its own. */
export interface ServeSettings<Context>
  extends HttpOptions<Context>, Omit<ParsedOptions<typeof SERVE_OPTIONS>, keyof HttpOptions<unknown>> {
  readonly transport: TransportConfig;
}

/** Checks the options, sets the defaults, and selects the transport. @throws {TypeError} with the option and the fix */
export function parseServeOptions<Context>(options: ServeOptions<Context>): ServeSettings<Context> {
  for (const name of listUnknownNames(SERVE_OPTIONS, options)) {
    if (Object.hasOwn(SERVER_INFO.rows, name) || Object.hasOwn(SERVER_SETTINGS.rows, name))
      fail(`\`${name}\` is an option of \`defineServer\`, not of \`serve\`. Move it there.`);
  }
  const settings = parseOptions(SERVE_OPTIONS, options);
  // Safe: only the types of the context differ, and they come from `options`.
  return { ...(settings as ServeSettings<Context>), transport: selectTransport(options) };
}

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

function selectTransport(options: ServeOptions<unknown>): TransportConfig {
  const { port, transport } = options;
  if (transport === undefined) return port === undefined ? stdioUnlessHttp(options) : { type: "http", port };
  for (const name of listUnknownNames(TRANSPORT, transport)) {
    if (Object.hasOwn(SERVE_OPTIONS.rows, name))
      fail(`\`${name}\` is an option of \`serve\`, not of \`transport\`. Move it out of \`transport\`.`);
  }
  assertOptions(TRANSPORT, transport);
  if (transport.type === "stdio") {
    const stray = NEVER_STDIO.find((name) => options[name] !== undefined);
    if (stray !== undefined)
      fail(
        `\`${stray}\` applies only to HTTP. Remove it, or use \`transport: { type: "http", port: 3000 }\`.`,
      );
    if (port !== undefined)
      fail('`port` cannot be combined with `transport: { type: "stdio" }`. Remove one of them.');
    return { type: "stdio" };
  }
  const chosen = (transport.port as number | undefined) ?? port; // JavaScript callers can omit it
  if (chosen === undefined) return fail("`port` is required to serve over HTTP. Add `port: 3000`.");
  if (port !== undefined && port !== chosen)
    fail(`\`port\` is ${port}, but \`transport.port\` is ${chosen}. Remove one of them.`);
  return { type: "http", port: chosen };
}

/** Selects stdio if neither `transport` nor `port` is set. @throws if other options show that HTTP was meant */
function stdioUnlessHttp(options: ServeOptions<unknown>): TransportConfig {
  const stray = HTTP_ONLY.find((name) => options[name] !== undefined);
  if (stray === undefined) return { type: "stdio" };
  return fail(
    `\`${stray}\` applies only to HTTP, and without \`port\` the server uses stdio. ` +
      `Add \`port: 3000\` to serve over HTTP, or remove \`${stray}\`.`,
  );
}

function typeOf(transport: unknown): unknown {
  return typeof transport === "object" && transport !== null ? Reflect.get(transport, "type") : undefined;
}

function fail(problem: string): never {
  throw new TypeError(`serve: ${problem}`);
}
