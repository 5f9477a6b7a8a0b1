/**
 * @fileoverview Options of the agent client and their defaults.
 * @module agent/client/options
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback, custom, integer, number } from "@tenon/internal/options/option-rows";
import type { ClientSocketClass } from "./socket-types.js";

/** Maximum delay of a timer. A timer with a longer delay fires immediately. */
const MAX_TIMER = 2_147_483_647;

const RECONNECT_OPTIONS = /* @__PURE__ */ defineOptions("createAgentClient: `reconnect`", {
  /** First delay. @default 500 */
  minDelay: number({ default: 500, min: 1, max: MAX_TIMER }),
  /** Longest delay. @default 30000 */
  maxDelay: number({ default: 30_000, min: 1, max: MAX_TIMER }),
  /** Number of failed attempts in a row after which the client closes. @default Infinity */
  maxAttempts: number({ default: Infinity }),
});

/** Delays between attempts to reconnect, in milliseconds. They double with each attempt and vary at random. */
export interface ReconnectOptions extends OptionsOf<typeof RECONNECT_OPTIONS> {}

const CLIENT_OPTIONS = /* @__PURE__ */ defineOptions("createAgentClient", {
  /** URL of the server, such as `wss://agent.example`. `http:` and `https:` URLs work too. */
  url: custom<string | URL>({ required: true, expected: 'a URL, such as "wss://agent.example"' }),
  /**
   * Token that identifies the user. It is the first message on every connection. A function is called for every
   * connection, and once more if the server rejects its token.
   */
  token: custom<string | (() => string | Promise<string>)>(),
  /** WebSocket class. Node.js 20 has none: pass the one of the package `ws`. @default globalThis.WebSocket */
  WebSocket: custom<ClientSocketClass>(),
  /** Delays between attempts to reconnect, or `false` to close the client when the connection is lost. */
  reconnect: custom<ReconnectOptions | false>({ default: {} }),
  /**
   * Maximum time to wait for a response, in milliseconds.
   * @default 30000
   */
  requestTimeout: number({ default: 30_000, min: 1, max: MAX_TIMER, aliases: ["timeout", "timeoutMs"] }),
  /**
   * Maximum number of open tasks. The oldest one that is not running is closed first.
   * @default 32
   */
  maxOpenTasks: integer({ default: 32, max: 64 }),
  /** Receives errors that no promise reports: exceptions in listeners, invalid frames, and failed connections. */
  onError: callback<(error: unknown) => void>(),
});

/** Options for `createAgentClient`. */
export interface AgentClientOptions extends OptionsOf<typeof CLIENT_OPTIONS> {}

/** Options with all defaults applied. The WebSocket class is read when the client connects. */
export type ClientSettings = ReturnType<typeof resolveClientOptions>;

/** Applies the defaults. @throws if an option is invalid */
export function resolveClientOptions(options: AgentClientOptions) {
  const { url, token, reconnect, requestTimeout, maxOpenTasks } = parseOptions(CLIENT_OPTIONS, options);
  const delays = parseOptions(RECONNECT_OPTIONS, reconnect === false ? { maxAttempts: 0 } : reconnect);
  return { ...delays, url: toSocketUrl(url), token, requestTimeout, maxOpenTasks };
}

/** Returns the WebSocket class. @throws if there is none */
export function findWebSocket(given: ClientSocketClass | undefined): ClientSocketClass {
  const found = given ?? (globalThis as { WebSocket?: ClientSocketClass }).WebSocket;
  if (found === undefined)
    throw new Error(
      'This runtime has no WebSocket class. Install the package "ws", and pass its class as the `WebSocket` option.',
    );
  return found;
}

function toSocketUrl(given: string | URL): string {
  const { location } = globalThis as { location?: { readonly href: string } };
  let url: URL;
  try {
    url = new URL(given, location?.href);
  } catch {
    throw new TypeError('createAgentClient: `url` must be a URL, such as "wss://agent.example".');
  }
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "ws:" && url.protocol !== "wss:")
    throw new TypeError(
      `createAgentClient: \`url\` must start with "ws:", "wss:", "http:", or "https:"; got "${url.protocol}".`,
    );
  url.hash = ""; // a WebSocket class rejects URLs with a hash
  return url.href;
}
