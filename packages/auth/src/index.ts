/**
 * @fileoverview Public API of `@tenon/auth`: access control for MCP servers over HTTP, as an OAuth resource server.
 * @module auth
 */
export { createAuthorization } from "./create-authorization.js";
export { authorizationFromEnv } from "./from-env.js";
export { type AuthorizationEvent, type AuthorizationOptions, type FromEnvOptions } from "./options.js";
