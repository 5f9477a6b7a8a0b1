/**
 * @fileoverview Options of the agent client and their defaults.
 * @module agent/client/options
 */
import type { ConnectionSettings } from "./connection.js";
import type { ClientSocketClass } from "./socket-types.js";
import type { AgentClientOptions } from "./types.js";

/** Options with all defaults applied. The WebSocket class is read when the client connects. */
export interface ClientSettings extends Omit<ConnectionSettings, "WebSocket"> {
  readonly requestTimeout: number;
  readonly maxOpenTasks: number;
}

/** Applies the defaults. @throws if an option is invalid */
export function resolveClientOptions(options: AgentClientOptions): ClientSettings {
  const { url, token, reconnect = {} } = options;
  const { minDelay = 500, maxDelay = 30_000, maxAttempts = Infinity } = reconnect || { maxAttempts: 0 };
  return {
    url: toSocketUrl(url),
    token,
    minDelay: assertNumber("reconnect.minDelay", minDelay, [1, MAX_TIMER]),
    maxDelay: assertNumber("reconnect.maxDelay", maxDelay, [1, MAX_TIMER]),
    maxAttempts: assertNumber("reconnect.maxAttempts", maxAttempts, [0, Infinity]),
    requestTimeout: assertNumber("requestTimeout", options.requestTimeout ?? 30_000, [1, MAX_TIMER]),
    maxOpenTasks: assertNumber("maxOpenTasks", options.maxOpenTasks ?? 32, [1, MAX_OPEN]),
  };
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

/** Maximum delay of a timer. A timer with a longer delay fires immediately. */
const MAX_TIMER = 2_147_483_647;

/** Number of tasks that the server lets a client watch. */
const MAX_OPEN = 64;

function toSocketUrl(given: string | URL): string {
  const { location } = globalThis as { location?: { readonly href: string } };
  let url: URL;
  try {
    url = new URL(given, location?.href);
  } catch {
    throw new Error('`url` must be a URL, such as "wss://agent.example".');
  }
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "ws:" && url.protocol !== "wss:")
    throw new Error(`\`url\` must start with "ws:", "wss:", "http:", or "https:"; got "${url.protocol}".`);
  url.hash = ""; // a WebSocket class rejects URLs with a hash
  return url.href;
}

function assertNumber(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new Error(`\`${name}\` must be a number from ${least} to ${most}; got ${String(value)}.`);
}
