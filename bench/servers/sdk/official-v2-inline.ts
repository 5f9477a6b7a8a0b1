/**
 * @fileoverview The official SDK, version 2, with schemas that it creates for every request.
 * @module bench/servers/sdk/official-v2-inline
 */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { v2Adapter } from "./apps.js";

/** Adapter of the official SDK, version 2. */
export const adapter = v2Adapter(McpServer, createMcpHandler, "request");
