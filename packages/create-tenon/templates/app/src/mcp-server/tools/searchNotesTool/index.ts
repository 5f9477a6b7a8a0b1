/**
 * @fileoverview Exports the `search_notes` tool.
 * @module src/mcp-server/tools/searchNotesTool
 */
export { registerSearchNotesTool } from "./registration.js";
