/**
 * @fileoverview The official SDK, version 1, with schemas that it creates for every request.
 * @module bench/servers/sdk/official-v1-inline
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { v1Adapter } from "./apps.js";

/** Adapter of the official SDK, version 1. */
export const adapter = v1Adapter(McpServer, "request");
