/**
 * @fileoverview The `echo://{message}` resources.
 * @module src/mcp-server/resources/echoResource
 */
export { registerEchoResource } from "./registration.js";
