/**
 * @fileoverview Public API of `@tenon/auth`: access control for MCP servers over HTTP, as an OAuth resource server.
 * @module auth
 */
export type { Auth } from "tenon";
export type { Authenticated, Authorization, ContextAuthorization, RequestInfo } from "tenon/fetch";
export { createAuthorization } from "./create-authorization.js";
export type { Fetch } from "@tenon/internal/outgoing/fetch";
export { authorizationFromEnv, authorizationOptionsFromEnv, type AuthorizationEnv } from "./from-env.js";
export {
  type AuthorizationEvent,
  type AuthorizationOptions,
  type DevelopmentOptions,
  type FromEnvOptions,
  type JwtOptions,
  OAUTH_ALGORITHMS,
  type OAuthAlgorithm,
  type OAuthOptions,
  type OpenOptions,
  type TokenOptions,
} from "./options.js";
export { TOKEN_PROBLEMS, type TokenProblem } from "./tokens/problems.js";
