/**
 * @fileoverview The usual bridges from `node:http` to fetch functions, with their default settings.
 * @module bench/servers/bridges
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Bridge } from "./host-protocol.js";
import type { FetchFunction } from "./node-http.js";

/** The part of `@hono/node-server` that the benchmark uses. */
interface NodeServerModule {
  readonly serve: (
    options: { readonly fetch: FetchFunction; readonly port: number; readonly hostname: string },
    onListening: (address: AddressInfo) => void,
  ) => unknown;
}

/** Loaded on demand: both versions replace the global `Request` and `Response`. */
const MODULES: Readonly<Record<Bridge, () => Promise<unknown>>> = {
  "hono-1": () => import("hono-node-server-v1"),
  "hono-2": () => import("@hono/node-server"),
};

/** Listens on a free loopback port. Requests reach the fetch function through the bridge. */
export async function listenBehind(bridge: Bridge, fetch: FetchFunction): Promise<number> {
  const { serve } = (await MODULES[bridge]()) as NodeServerModule; // Safe: both versions have this function
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port)) as Server;
    // Servers stay idle while others are measured.
    server.keepAliveTimeout = 600_000;
  });
}
