/**
 * @fileoverview `@tenon/sdk/v2` in place of the official SDK, version 2, with schemas that its module creates once.
 * @module bench/servers/sdk/tenon-v2-module
 */
import { createMcpHandler, McpServer } from "../../../packages/sdk/dist/v2/index.js";
import { v2Adapter } from "./apps.js";

/** Adapter of `@tenon/sdk/v2`. */
export const adapter = v2Adapter(McpServer, createMcpHandler, "module");
