/**
 * @fileoverview Exports the `echo://{message}` resource.
 * @module src/mcp-server/resources/echoResource
 */
export { registerEchoResource } from "./registration.js";
