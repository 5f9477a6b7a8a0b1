/**
 * @fileoverview Serves one server in three ways: with `serve`, with `toFetch`, and with a router on Express.
 * @module tools/tokens/doors
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { Authorization } from "tenon/fetch";
import type { Server } from "../../packages/tenon/src/core/server.js";
import { createHttpMcpRouter } from "@tenon/kit";
import { toFetch } from "tenon/fetch";
import { serve } from "tenon/node";

/** An endpoint that can be closed. */
export interface Door {
  readonly name: string;
  readonly port: number;
  fetch(init: RequestInit, path?: string): Promise<Response>;
  close(graceMs?: number): Promise<void>;
}

/** Opens all three endpoints. */
export async function openDoors(
  createMcpServer: () => Server,
  authorization: Authorization<never>,
): Promise<readonly Door[]> {
  return Promise.all([
    openServe(createMcpServer(), authorization),
    openFetch(createMcpServer(), authorization),
    openExpress(createMcpServer(), authorization),
  ]);
}

/** Opens an endpoint with `serve`, over real sockets. */
export async function openServe(server: Server, authorization: Authorization<never>): Promise<Door> {
  const running = await serve(server, {
    transport: { type: "http", port: 0 },
    authorization,
    signals: false,
    graceMs: 0,
  });
  const port = Number(new URL(running.url ?? "").port);
  return {
    name: "serve",
    port,
    fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: () => running.close(),
  };
}

async function openFetch(server: Server, authorization: Authorization<never>): Promise<Door> {
  const handler = toFetch(server, { authorization });
  return {
    name: "toFetch",
    port: 0,
    fetch: (init, path = "/mcp") => handler(new Request(`http://localhost${path}`, init)),
    close: () => handler.close(0),
  };
}

async function openExpress(mcpServer: Server, authorization: Authorization<never>): Promise<Door> {
  const router = createHttpMcpRouter({ mcpServer, authorization });
  const app = express();
  app.use("/mcp", router);
  for (const path of authorization.metadata?.paths ?? []) app.use(path, router);
  const http = createServer(app).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo; // the server listens on a TCP port
  return {
    name: "express",
    port,
    fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
    async close() {
      await router.close(0);
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}
