/**
 * @fileoverview Starts the fixture server for real clients, over stdio or HTTP.
 * @module tests/clients/support/serving
 */
import { fileURLToPath } from "node:url";
import type { Server } from "tenon";
import { type Running, serve } from "tenon/node";
import { compileProgram } from "../../../tools/compile-program.js";
import { ROOT } from "../../../tools/source-files.js";
import { createFixtureServer } from "./fixture-server.js";

/** Command that starts the server as a client's child process. */
export const CHILD = {
  command: process.execPath,
  args: [compileProgram(fileURLToPath(new URL("./fixture.ts", import.meta.url)))],
  cwd: ROOT,
};

/** Reconnect delay in milliseconds. */
export const RETRY_MS = 20;

/** Server that listens on a loopback port. */
export interface HttpServing extends Running {
  readonly endpoint: URL;
  readonly server: Server;
}

/** Starts the server on a free port. The HTTP+SSE transport is enabled. */
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
