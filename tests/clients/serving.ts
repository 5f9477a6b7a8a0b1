/**
 * @fileoverview Ways to reach the server for real clients.
 * @module tests/clients/serving
 */
import { fileURLToPath } from "node:url";
import type { Server } from "tenon";
import { type Running, serve } from "tenon/node";
import { ROOT } from "../support/source-files.js";
import { createFixtureServer } from "./fixture-server.js";

/** How a client starts the server as a child of its own. */
export const CHILD = {
  command: process.execPath,
  args: ["--import", "tsx", fileURLToPath(new URL("./fixture.ts", import.meta.url))],
  cwd: ROOT,
};

/** When a client that was cut off is to come back. */
export const RETRY_MS = 20;

/** A server that runs on a loopback port. */
export interface HttpServing extends Running {
  readonly endpoint: URL;
  readonly server: Server;
}

/** Serves on a free port, with the old wire beside the new one. */
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
