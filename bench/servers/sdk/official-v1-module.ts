/**
 * @fileoverview The official SDK, version 1, with schemas that its module creates once.
 * @module bench/servers/sdk/official-v1-module
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { v1Adapter } from "./apps.js";

/** Adapter of the official SDK, version 1. */
export const adapter = v1Adapter(McpServer, "module");
