/**
 * @fileoverview Exports the `echo_message` tool.
 * @module src/mcp-server/tools/echoTool
 */
export { registerEchoTool } from "./registration.js";
