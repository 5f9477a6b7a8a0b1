/**
 * @fileoverview Creates and starts the server. Register every tool and resource here.
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
 * Creates the server and registers all of its tools and resources.
 *
 * @param settings - The configuration.
 * @throws {McpError} `INITIALIZATION_FAILED`, listing every tool and resource that failed.
 */
export async function createMcpServer(settings: Config = config): Promise<McpServer> {
  const server = new McpServer(
    { name: settings.mcpServerName, version: settings.mcpServerVersion },
    { exposeErrors: false, log: toCoreLog(logger) },
  );
  // Gives every call a request context and the caller's identity, and logs the call.
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
 * Creates the server and serves it on stdio or HTTP, depending on the configuration.
 *
 * @param settings - The configuration.
 * @returns The running server: its URL (HTTP only) and a method to stop it.
 */
export async function initializeAndStartServer(settings: Config = config): Promise<Running> {
  const context = requestContextService.createRequestContext({ operation: "StartServer" });
  const server = await createMcpServer(settings);
  const running = await serveOnFreePort(server.build(), settings, {
    signals: false, // src/index.ts handles signals
    onTaken: (port) =>
      logger.notice(`Port ${port} is already in use. Trying the next one.`, context),
  });
  logger.info(`Serving on ${running.url ?? "stdio"}.`, context);
  return running;
}
