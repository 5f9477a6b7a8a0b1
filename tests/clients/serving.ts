/**
 * @fileoverview Ways to start the server for real clients.
 * @module tests/clients/serving
 */
import { fileURLToPath } from "node:url";
import type { Server } from "tenon";
import { type Running, serve } from "tenon/node";
import { ROOT } from "../support/source-files.js";
import { createFixtureServer } from "./fixture-server.js";

/** Command with which a client starts the server as a child process. */
export const CHILD = {
  command: process.execPath,
  args: ["--import", "tsx", fileURLToPath(new URL("./fixture.ts", import.meta.url))],
  cwd: ROOT,
};

/** Reconnect delay in milliseconds. */
export const RETRY_MS = 20;

/** Server on a loopback port. */
export interface HttpServing extends Running {
  readonly endpoint: URL;
  readonly server: Server;
}

/** Serves on a free port, including the HTTP+SSE transport. */
export async function serveHttp(): Promise<HttpServing> {
  const server = createFixtureServer();
  const running = await serve(server, {
    transport: { type: "http", port: 0 },
    legacySse: true,
    signals: false,
    graceMs: 500,
    retryMs: RETRY_MS,
  });
  return { ...running, server, endpoint: new URL(running.url ?? "") };
}
