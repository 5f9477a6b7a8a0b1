/**
 * @fileoverview Converts a configuration to `serve` options, and tries the next port if one is in use.
 * @module app/config/serve-options
 */
import { setTimeout } from "node:timers/promises";
import { codeOf } from "@tenon/internal/thrown";
import { type ServerLike, type ToolMap } from "tenon";
import { toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { type Running, serve, type ServeOptions } from "tenon/node";
import type { AppSettings } from "./app-config.js";
import { toAuthorization } from "./to-authorization.js";

/** Converts a configuration to `serve` options. Over HTTP, they include the configured authorization. */
export function toServeOptions(config: AppSettings): ServeOptions<never> {
  const { mcpAllowedHosts, mcpAllowedOrigins } = config;
  const isHttp = config.mcpTransportType === "http";
  return {
    transport: isHttp ? { type: "http", port: config.mcpHttpPort } : { type: "stdio" },
    ...(isHttp && config.mcpAuthMode !== "none" ? { authorization: toAuthorization(config) } : {}),
    host: config.mcpHttpHost,
    path: config.mcpHttpEndpointPath,
    // Clients that use the stateless revision are served without a session in every mode.
    legacy: config.mcpSessionMode === "stateless" ? "stateless" : "stateful",
    sessions: { idleMs: config.mcpStatefulSessionStaleTimeoutMs },
    ...(mcpAllowedHosts === undefined ? {} : { allowedHosts: mcpAllowedHosts }),
    ...(mcpAllowedOrigins === undefined
      ? {}
      : { allowedOrigins: mcpAllowedOrigins, corsOrigins: mcpAllowedOrigins }),
  };
}

/** Options for `serveOnFreePort`. They override the configuration. */
export interface ServeAppOptions<Context> extends Omit<ServeOptions<Context>, "transport"> {
  /** Called with each port that is already in use. */
  readonly onTaken?: (port: number) => void;
}

/**
 * Serves with the given configuration. If the port is in use, the next higher ports are tried:
 * `MCP_HTTP_MAX_PORT_RETRIES` sets how many, and `MCP_HTTP_PORT_RETRY_DELAY_MS` sets the delay between attempts.
 *
 * @example const running = await serveOnFreePort(server, config);
 * @throws {McpError} `INITIALIZATION_FAILED` if all of these ports are in use
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
  const given = {
    banner: false, // applications log their start themselves, often as JSON
    ...rest,
    ...(authorization === undefined || more.authenticate !== undefined ? {} : { authorization }),
    ...more,
    context: more.context as Context, // Safe: `undefined` only if the server declares no context
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
        throw new McpError(
          "INITIALIZATION_FAILED",
          `${tried} already in use. Set MCP_HTTP_PORT to a free port.`,
          undefined,
          {
            cause: error,
          },
        );
      }
      await setTimeout(mcpHttpPortRetryDelayMs);
    }
  }
}

function isTaken(error: unknown): boolean {
  return codeOf(error) === "EADDRINUSE";
}
