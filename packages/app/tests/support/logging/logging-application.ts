/**
 * @fileoverview Application whose log is a file. The tool `log` writes many entries. Prints its URL.
 * @module tests/app/support/logging/logging-application
 */
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { logger } from "../../../src/logging/logger.js";
import { runApplication } from "../../../src/run-application.js";

const [, , destination = ""] = process.argv;

await runApplication({
  logger,
  initializeLogger: () => logger.initialize("info", { destination }),
  start: async () => {
    const server = defineServer({ name: "logging", version: "1.0.0" }).tool("log", {
      handler: async () => {
        // More than what the file system has reserved for the file. Long messages are cut.
        for (let count = 0; count < 100; count++) logger.info("x".repeat(300));
        await logger.flush();
        return "still here";
      },
    });
    const running = await serve(server, { port: 0, banner: false, signals: false });
    process.stdout.write(`${running.url}\n`);
    return running;
  },
});
