/**
 * @fileoverview From a configuration to a server that runs: the options of `serve`, and the next port where one is taken.
 * @module app/config/serve-options
 */
import { setTimeout } from "node:timers/promises";
import { type ServerLike, type ToolMap } from "tenon";
import { toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { type Running, serve, type ServeOptions } from "tenon/node";
import type { AppSettings } from "./app-config.js";
import { toAuthorization } from "./to-authorization.js";

/** The options of `serve` that a configuration gives. Over HTTP its authorization is among them: nobody can forget it. */
export function toServeOptions(config: AppSettings): ServeOptions<never> {
  const { mcpAllowedHosts, mcpAllowedOrigins } = config;
  const isHttp = config.mcpTransportType === "http";
  return {
    transport: isHttp ? { type: "http", port: config.mcpHttpPort } : { type: "stdio" },
    ...(isHttp && config.mcpAuthMode !== "none" ? { authorization: toAuthorization(config) } : {}),
    host: config.mcpHttpHost,
    path: config.mcpHttpEndpointPath,
    // Where there are sessions, clients of the stateless revision still need none: `auto` promises just that.
    legacy: config.mcpSessionMode === "stateless" ? "stateless" : "stateful",
    sessions: { idleMs: config.mcpStatefulSessionStaleTimeoutMs },
    ...(mcpAllowedHosts === undefined ? {} : { allowedHosts: mcpAllowedHosts }),
    ...(mcpAllowedOrigins === undefined
      ? {}
      : { allowedOrigins: mcpAllowedOrigins, corsOrigins: mcpAllowedOrigins }),
  };
}

/** Options of `serveOnFreePort`, beside the configuration. */
export interface ServeAppOptions<Context> extends Omit<ServeOptions<Context>, "transport"> {
  /** Is told of every port that is taken. */
  readonly onTaken?: (port: number) => void;
}

/**
 * Serves as a configuration says. Where its port is taken, the next higher ones are tried, as often and as slowly as it
 * says.
 *
 * @example const running = await serveOnFreePort(server, config);
 * @throws `INITIALIZATION_FAILED` where all of them are taken
 */
export async function serveOnFreePort<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  config: AppSettings,
  options: ServeAppOptions<Context> = {},
): Promise<Running> {
  const { onTaken, ...more } = options;
  const built = toServer(server);
  const { mcpHttpPort: first, mcpHttpMaxPortRetries, mcpHttpPortRetryDelayMs } = config;
  const { authorization, ...rest } = toServeOptions(config);
  const given: ServeOptions<Context> = {
    ...rest,
    ...(authorization === undefined || more.authenticate !== undefined ? {} : { authorization }),
    ...more,
  };
  if (given.transport?.type !== "http") return serve(built, given);
  const last = Math.min(first + mcpHttpMaxPortRetries, 65_535);
  for (let port = first; ; port++) {
    try {
      return await serve(built, { ...given, transport: { type: "http", port } });
    } catch (error) {
      if (!isTaken(error)) throw error;
      onTaken?.(port);
      if (port >= last) {
        const tried = first === last ? `Port ${first} is` : `Ports ${first} to ${last} are`;
        throw new McpError("INITIALIZATION_FAILED", `${tried} taken; set MCP_HTTP_PORT`, undefined, {
          cause: error,
        });
      }
      await setTimeout(mcpHttpPortRetryDelayMs);
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
