/**
 * @fileoverview Starts an agent server with its page on the same port.
 * @module agent/page/serve-agent-page
 */
import {
  defineOptions,
  type OptionsOf,
  parseOptions,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { flag } from "@tenon/internal/options/option-rows";
import { type ServerAddress, START_OPTIONS, type StartOptions } from "../socket/options.js";
import { createAgentPage } from "./create-agent-page.js";
import { PAGE_OPTIONS, PAGE_TEXT } from "./options.js";

const { http: _http, ...START_ROWS } = START_OPTIONS.rows;

const SERVE_PAGE_OPTIONS = /* @__PURE__ */ defineOptions("serveAgentPage", {
  ...START_ROWS,
  ...PAGE_TEXT,
  /**
   * Maximum message size in bytes. Images and files are part of messages, as base64.
   * @default 8388608
   */
  maxPayload: { ...START_ROWS.maxPayload, default: 8_388_608 },
  /**
   * Maximum number of bytes in a client's send queue. Several images of a response must fit into it.
   * @default 16777216
   */
  maxQueuedBytes: { ...START_ROWS.maxQueuedBytes, default: 16_777_216 },
  /**
   * True if the page asks for a token before it connects. If it is false, the page connects first, and asks only if the
   * server rejects the connection.
   * @default true if `token` is set, or `users` without a cookie, and `signInUrl` is not set
   */
  needsToken: flag(),
});

/** Options for `serveAgentPage`: those of `AgentServer.start`, and texts of the page. */
export interface ServeAgentPageOptions extends OptionsOf<typeof SERVE_PAGE_OPTIONS> {}

/** Server that `serveAgentPage` starts. */
export interface AgentPageServer {
  readonly start: (options?: StartOptions) => Promise<ServerAddress>;
  readonly stop: () => Promise<void>;
}

/** Running server with its page. */
export interface ServedAgentPage {
  /** URL of the page, such as `http://127.0.0.1:10013/`. */
  readonly url: string;
  /** Address of the WebSocket. */
  readonly address: ServerAddress;
  /** Stops the server. */
  readonly close: () => Promise<void>;
}

/**
 * Starts an agent server and serves a chat page on the same port.
 *
 * @throws if the server is already running, an option is invalid, or the port is in use
 */
export async function serveAgentPage(
  server: AgentPageServer,
  options: ServeAgentPageOptions = {},
): Promise<ServedAgentPage> {
  const settings = parseOptions(SERVE_PAGE_OPTIONS, options);
  const { signInUrl, allowedOrigins, token, users, maxPayload, maxQueuedBytes } = settings;
  const http = createAgentPage({
    ...pickOptions(PAGE_OPTIONS, settings),
    needsToken: settings.needsToken ?? (signInUrl === undefined && requiresToken(settings)),
    hasUsers: token !== undefined || users !== undefined,
  });
  const address = await server.start({
    ...pickOptions(START_OPTIONS, options),
    maxPayload,
    maxQueuedBytes,
    http,
  });
  return { url: toPageUrl(address, allowedOrigins), address, close: () => server.stop() };
}

/** Returns true if the server identifies clients only by a token that the page sends. */
function requiresToken({ token, users }: Pick<StartOptions, "token" | "users">): boolean {
  return token !== undefined || (users !== undefined && users.cookie === undefined);
}

/** Returns the URL of the page. A server that listens on all addresses has none, so a name stands for it. */
function toPageUrl({ host, port, url }: ServerAddress, [origin]: readonly string[] = []): string {
  if (host !== "0.0.0.0" && host !== "::") return `${url.replace(/^ws/, "http")}/`;
  return origin === undefined ? `http://localhost:${port}/` : new URL("/", origin).href;
}
