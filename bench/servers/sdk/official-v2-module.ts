/**
 * @fileoverview The official SDK, version 2, with schemas that its module creates once.
 * @module bench/servers/sdk/official-v2-module
 */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { v2Adapter } from "./apps.js";

/** Adapter of the official SDK, version 2. */
export const adapter = v2Adapter(McpServer, createMcpHandler, "module");
