/**
 * @fileoverview Entry point. Initializes the logger, starts the server, and shuts it down gracefully
 * on SIGTERM, SIGINT, an uncaught exception, or an unhandled rejection.
 * @module src/index
 */
import { join } from "node:path";
import { runApplication } from "@tenon/app";
import { config } from "./config/index.js";
import { initializeAndStartServer } from "./mcp-server/server.js";
import { notesProvider } from "./services/notes/notesProvider.js";
import { logger } from "./utils/index.js";

await runApplication({
  logger,
  initializeLogger: () =>
    logger.initialize(config.logLevel, {
      // Without a folder, logs go to standard error, because stdout is reserved for the protocol.
      destination: config.logsPath && join(config.logsPath, "server.log"),
    }),
  start: async () => {
    const running = await initializeAndStartServer();
    return {
      closed: running.closed,
      close: async () => {
        await running.close();
        notesProvider.close();
      },
    };
  },
});
