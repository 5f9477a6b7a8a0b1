/**
 * @fileoverview Creates an authorization from the configuration.
 * @module app/config/to-authorization
 */
import { authorizationFromEnv, type FromEnvOptions } from "@tenon/auth";
import type { Authorization } from "tenon/fetch";
import type { AppSettings } from "./app-config.js";

/**
 * Creates the authorization that `MCP_AUTH_MODE` and its related variables configure.
 *
 * @example await serve(server, { ...toServeOptions(config), authorization: toAuthorization(config, { resource }) });
 */
export function toAuthorization(config: AppSettings, options: FromEnvOptions = {}): Authorization<never> {
  return authorizationFromEnv(
    {
      NODE_ENV: config.environment,
      MCP_AUTH_MODE: config.mcpAuthMode,
      MCP_AUTH_SECRET_KEY: config.mcpAuthSecretKey,
      MCP_AUTH_DEV_BYPASS: String(config.mcpAuthDevBypass),
      OAUTH_ISSUER_URL: config.oauthIssuerUrl,
      OAUTH_JWKS_URI: config.oauthJwksUri,
      OAUTH_AUDIENCE: config.oauthAudience,
      DEV_MCP_CLIENT_ID: config.devMcpClientId,
      DEV_MCP_SCOPES: config.devMcpScopes.join(" "),
    },
    options,
  );
}
