/**
 * @fileoverview `@tenon/sdk` in place of the official SDK, version 1, with schemas that it creates for every request.
 * @module bench/servers/sdk/tenon-v1-inline
 */
import { McpServer } from "../../../packages/sdk/dist/index.js";
import { v1Adapter } from "./apps.js";

/** Adapter of `@tenon/sdk`. */
export const adapter = v1Adapter(McpServer, "request");
