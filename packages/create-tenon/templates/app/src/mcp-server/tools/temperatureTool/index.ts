/**
 * @fileoverview Exports the `get_temperature` tool.
 * @module src/mcp-server/tools/temperatureTool
 */
export { registerTemperatureTool } from "./registration.js";
