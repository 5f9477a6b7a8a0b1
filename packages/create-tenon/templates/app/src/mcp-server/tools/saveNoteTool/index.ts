/**
 * @fileoverview Exports the `save_note` tool.
 * @module src/mcp-server/tools/saveNoteTool
 */
export { registerSaveNoteTool } from "./registration.js";
