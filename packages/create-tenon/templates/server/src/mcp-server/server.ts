/**
 * @fileoverview Makes the server and starts it. Every tool and resource is attached here, and nowhere else.
 * @module src/mcp-server/server
 */
import {
  logger,
  registerAll,
  requestContextService,
  serveOnFreePort,
  standard,
  toCoreLog,
} from "@tenon/app";
import { McpServer } from "@tenon/sdk";
import type { Running } from "tenon/node";
import { config, type Config } from "../config/index.js";
import { registerEchoResource } from "./resources/echoResource/index.js";
import { registerEchoTool } from "./tools/echoTool/index.js";
import { registerTemperatureTool } from "./tools/temperatureTool/index.js";

/**
 * Creates the server with everything that it offers.
 *
 * @param settings - The configuration.
 * @throws {McpError} `INITIALIZATION_FAILED`, naming every tool and resource that could not be registered.
 */
export async function createMcpServer(settings: Config = config): Promise<McpServer> {
  const server = new McpServer(
    { name: settings.mcpServerName, version: settings.mcpServerVersion },
    { exposeErrors: false, log: toCoreLog(logger) },
  );
  // Around every call: its request context, who is calling, and an entry in the log.
  server.use(standard());
  await registerAll(
    [
      { name: "echoTool", register: () => registerEchoTool(server) },
      { name: "temperatureTool", register: () => registerTemperatureTool(server) },
      { name: "echoResource", register: () => registerEchoResource(server) },
    ],
    { logger },
  );
  return server;
}

/**
 * Creates the server and serves it on stdio or HTTP, as the configuration says.
 *
 * @param settings - The configuration.
 * @returns What runs: its address on HTTP, and the way to end it.
 */
export async function initializeAndStartServer(settings: Config = config): Promise<Running> {
  const context = requestContextService.createRequestContext({ operation: "StartServer" });
  const server = await createMcpServer(settings);
  const running = await serveOnFreePort(server.build(), settings, {
    signals: false, // src/index.ts listens for them
    onTaken: (port) => logger.notice(`Port ${port} is taken.`, context),
  });
  logger.info(`Serving on ${running.url ?? "stdio"}.`, context);
  return running;
}
