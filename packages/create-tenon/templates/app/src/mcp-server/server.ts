/**
 * @fileoverview Creates and starts the server. Register every tool and resource here.
 * @module src/mcp-server/server
 */
import type { McpServer as SdkMcpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { serveOnFreePort, standard, toCoreLog } from "@tenon/app";
import { McpServer } from "@tenon/sdk";
import type { Running } from "tenon/node";
import { config, type Config } from "../config/index.js";
import { logger, registerAll, requestContextService } from "../utils/index.js";
import { registerEchoResource } from "./resources/echoResource/index.js";
import { registerEchoTool } from "./tools/echoTool/index.js";
import { registerSaveNoteTool } from "./tools/saveNoteTool/index.js";
import { registerSearchNotesTool } from "./tools/searchNotesTool/index.js";
import { registerTemperatureTool } from "./tools/temperatureTool/index.js";

/**
 * Creates the server and registers all of its tools and resources.
 *
 * @param settings - The configuration.
 * @returns The server, ready to be served or connected.
 * @throws {McpError} `INITIALIZATION_FAILED`, listing every tool and resource that failed.
 */
export async function createMcpServer(settings: Config = config): Promise<McpServer> {
  // Tenon's server has the methods of the official SDK's server, so that register functions can be
  // written for either of them. The SDK's type has private members, which only a cast can provide.
  const server = new McpServer(
    { name: settings.mcpServerName, version: settings.mcpServerVersion },
    { exposeErrors: false, log: toCoreLog(logger) },
  ) as McpServer & SdkMcpServer;
  // Gives every call a request context and the caller's identity, and logs the call.
  server.use(standard());
  await registerAll(
    [
      { name: "echoTool", register: () => registerEchoTool(server) },
      { name: "temperatureTool", register: () => registerTemperatureTool(server) },
      { name: "saveNoteTool", register: () => registerSaveNoteTool(server) },
      { name: "searchNotesTool", register: () => registerSearchNotesTool(server) },
      { name: "echoResource", register: () => registerEchoResource(server) },
    ],
    { logger },
  );
  return server;
}

/**
 * Creates the server and serves it over stdio or HTTP, depending on the configuration.
 *
 * @param settings - The configuration.
 * @returns The running server: its URL (HTTP only) and a method to stop it.
 * @throws {McpError} `INITIALIZATION_FAILED` if a registration fails or no port is free.
 */
export async function initializeAndStartServer(settings: Config = config): Promise<Running> {
  const context = requestContextService.createRequestContext({ operation: "StartServer" });
  const server = await createMcpServer(settings);
  const running = await serveOnFreePort(server.build(), settings, {
    signals: false, // src/index.ts handles signals
    banner: false, // the address is logged below
    onTaken: (port) =>
      logger.notice(`Port ${port} is already in use. Trying the next one.`, context),
  });
  logger.info(`Serving on ${running.url ?? "stdio"}.`, context);
  return running;
}
