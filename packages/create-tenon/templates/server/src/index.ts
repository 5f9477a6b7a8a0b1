/**
 * @fileoverview The entry point: makes the logger ready, starts the server, and ends it in good order on SIGTERM,
 * SIGINT, an uncaught exception or an unhandled rejection.
 * @module src/index
 */
import { join } from "node:path";
import { logger, runApplication } from "@tenon/app";
import { config } from "./config/index.js";
import { initializeAndStartServer } from "./mcp-server/server.js";

await runApplication({
  logger,
  initializeLogger: () =>
    logger.initialize(config.logLevel, {
      // Without a folder the log goes to standard error: standard output belongs to the protocol.
      destination: config.logsPath && join(config.logsPath, "server.log"),
    }),
  start: () => initializeAndStartServer(),
});
