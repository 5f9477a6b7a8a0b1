/**
 * @fileoverview `npm start`: serves the showcase on localhost and prints instructions for connecting to it.
 * @module examples/showcase/main
 */
import { parseArgs } from "node:util";
import { type Running, serve } from "tenon/node";
import { connectionHelp } from "./connection-help.js";
import { createShowcase } from "./server.js";

const DEFAULT_PORT = 3000;

const { values } = parseArgs({
  options: { port: { type: "string" }, help: { type: "boolean", default: false } },
});

if (values.help) {
  console.log(
    `Usage: npm start [-- --port N]\n  --port  port to listen on (default: ${DEFAULT_PORT}, or the next free port)`,
  );
} else {
  const running = await start(values.port);
  console.log(connectionHelp(running.url ?? ""));
  await running.closed;
  console.log("Stopped.");
}

/** Starts the server. Fails if an explicit port is in use. Otherwise, uses the next free port after the default. */
async function start(asked: string | undefined): Promise<Running> {
  const port = Number(asked ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be an integer from 0 to 65535; got "${asked}".`);
  for (let next = port; ; next++) {
    try {
      return await serve(createShowcase(), { transport: { type: "http", port: next } });
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
      if (asked !== undefined || !isTaken || next >= port + 100) throw error;
    }
  }
}
