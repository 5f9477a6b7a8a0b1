/**
 * @fileoverview The faces of the HTTP transport behind one door, so that a table of cases runs on each: real sockets
 * on this machine, and `Request` to `Response`.
 * @module tests/support/http-faces
 */
import { createServer, type RequestListener, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Server } from "../../packages/tenon/src/core/server.js";
import type { JsonObject } from "@tenon/internal/json";
import { toFetch } from "tenon/fetch";
import type { HttpOptions } from "../../packages/tenon/src/transport/http/options.js";
import { listen as listenAsServe } from "../../packages/tenon/src/transport/node/listen.js";
import { toNodeHandler } from "../../packages/tenon/src/transport/node/node-handler.js";

/** An endpoint that answers web requests. */
export interface Endpoint {
  /** The port, where there is one. */
  readonly port: number;
  fetch(init: RequestInit, path?: string): Promise<Response>;
  /** Drains the handler. */
  close(graceMs?: number): Promise<void>;
}

/** One face of the transport. */
export interface Face {
  readonly name: string;
  open(server: Server, options?: HttpOptions<unknown>): Promise<Endpoint>;
}

/** Listens on a free port of this machine until the test ends. */
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
  return (http.address() as AddressInfo).port; // it listens on a port
}

/** A server of `node:http` on a real port. */
function onSockets(name: string, start: (handler: RequestListener) => Promise<number>): Face {
  return {
    name,
    async open(server, options = {}) {
      const handler = toNodeHandler(server, options);
      const port = await start(handler);
      // What is set up last ends first: the handler, then the server it stands on.
      onTestFinished(() => handler.close(0));
      return {
        port,
        fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
        close: (graceMs) => handler.close(graceMs),
      };
    },
  };
}

/** `node:http` as anybody sets it up, Express and the like among them. */
export const NODE: Face = onSockets("node:http", listen);

/** `node:http` as `serve` sets it up. */
export const SERVED: Face = onSockets("node:http of our own", (handler) => listenAsOurs(handler, true));

/** The same, where bodies cannot be taken from Node's parser. */
export const STREAMED: Face = onSockets("node:http of our own with bodies as streams", (handler) =>
  listenAsOurs(handler, false),
);

async function listenAsOurs(handler: RequestListener, directBodies: boolean): Promise<number> {
  const { port, close } = await listenAsServe(handler, { port: 0, directBodies });
  onTestFinished(() => close());
  return port;
}

/** `fetch`, in memory. */
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

/** All of them. */
export const FACES: readonly Face[] = [NODE, SERVED, FETCH];

/** What every client sends along. */
export const PLAIN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;

/** A posted body. Headers set to nothing are left out. */
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

/** The headers that are there. */
export function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** A reply's status and JSON. */
export async function read(
  response: Response,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as JsonObject };
}

/** Waits until something holds, for five seconds at most. */
export async function until(holds: () => boolean, what = "the condition"): Promise<void> {
  const end = Date.now() + 5_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not come true in time`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
