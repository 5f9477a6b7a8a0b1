/**
 * @fileoverview Puts all HTTP adapters behind one interface, so that the same test cases run on each: real local
 * sockets, and `Request` to `Response`.
 * @module tests/support/http-faces
 */
import { getRequestListener } from "@hono/node-server";
import { createServer, type RequestListener, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Server } from "../../packages/tenon/src/core/server.js";
import type { JsonObject } from "@tenon/internal/json";
import { toFetch } from "tenon/fetch";
import { createMemoryStore } from "tenon/stores";
import type { HttpOptions } from "../../packages/tenon/src/transport/http/options.js";
import { listen as listenAsServe } from "../../packages/tenon/src/transport/node/listen.js";
import { toNodeHandler } from "../../packages/tenon/src/transport/node/node-handler.js";

/** Endpoint that handles web requests. */
export interface Endpoint {
  /** The endpoint's port. `undefined` for in-memory endpoints. */
  readonly port: number;
  fetch(init: RequestInit, path?: string): Promise<Response>;
  /** Closes the handler gracefully. */
  close(graceMs?: number): Promise<void>;
}

/** HTTP adapter. */
export interface Face {
  readonly name: string;
  open(server: Server, options?: HttpOptions<unknown>): Promise<Endpoint>;
}

/** Listens on a free local port until the test ends. */
export async function listen(listener: RequestListener, settings: ServerOptions = {}): Promise<number> {
  const http = createServer(settings, listener);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => {
      http.close(resolve);
    });
    http.closeAllConnections();
    await closed;
  });
  return (http.address() as AddressInfo).port; // listening on a port
}

/** Serves with `node:http` on a real port. */
function onSockets(name: string, start: (handler: RequestListener) => Promise<number>): Face {
  return {
    name,
    async open(server, options = {}) {
      const handler = toNodeHandler(server, options);
      const port = await start(handler);
      // Callbacks run in reverse order: first the handler closes, then the server below it.
      onTestFinished(() => handler.close(0));
      return {
        port,
        fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
        close: (graceMs) => handler.close(graceMs),
      };
    },
  };
}

/** `node:http` with default settings, as in Express. */
export const NODE: Face = onSockets("node:http", listen);

/** `node:http` with the settings that `serve` uses. */
export const SERVED: Face = onSockets("node:http as in serve", (handler) => listenAsOurs(handler, true));

/** `serve` on runtimes where bodies cannot be read directly from Node's parser. */
export const STREAMED: Face = onSockets("node:http as in serve, with streamed bodies", (handler) =>
  listenAsOurs(handler, false),
);

async function listenAsOurs(handler: RequestListener, directBodies: boolean): Promise<number> {
  const { port, close } = await listenAsServe(handler, { port: 0, directBodies });
  onTestFinished(() => close());
  return port;
}

/** `toFetch`, called in memory. */
export const FETCH: Face = {
  name: "fetch",
  async open(server, options = {}) {
    const handler = toFetch(server, options);
    onTestFinished(() => handler.close(0));
    return {
      port: 0,
      fetch: (init, path = "/mcp") => handler(new Request(`http://localhost${path}`, init)),
      close: (graceMs) => handler.close(graceMs),
    };
  },
};

/** `toFetch` on Hono's server for Node. */
export const HONO: Face = {
  name: "Hono's server",
  async open(server, options = {}) {
    const handler = toFetch(server, options);
    const port = await listen(getRequestListener(handler));
    return {
      port,
      fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
      close: (graceMs) => handler.close(graceMs),
    };
  },
};

/** `toFetch` with a shared store of its own. */
export const SHARED: Face = {
  name: "fetch with a store",
  open: (server, options = {}) => {
    const { ports } = options;
    const store = createMemoryStore(ports === undefined ? {} : { ports });
    return FETCH.open(server, { store, ...options });
  },
};

/** Every adapter. */
export const FACES: readonly Face[] = [NODE, SERVED, FETCH];

/** Headers that every request has. */
export const PLAIN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;

/** Creates a POST request. Headers that are `undefined` are omitted. */
export function post(
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
  signal?: AbortSignal,
): RequestInit {
  return {
    method: "POST",
    headers: present({ ...PLAIN_HEADERS, ...headers }),
    body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Returns the headers without those that are `undefined`. */
export function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** Reads a response's status and JSON body. */
export async function read(
  response: Response,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as JsonObject };
}

/** Waits up to five seconds for a condition. */
export async function until(holds: () => boolean, what = "the condition"): Promise<void> {
  const end = Date.now() + 5_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Timed out waiting for ${what}.`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
