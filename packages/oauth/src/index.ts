/**
 * @fileoverview Public API of `@tenon/oauth`: access tokens for Google, Microsoft, and other providers, and for MCP
 * clients. The user signs in with a browser.
 * @module oauth
 */
export type { Account } from "./account-records.js";
export { accountIdOf } from "./account-id.js";
export { type AccountTools, createAccountTools } from "./account-tools.js";
export { createClientAuth, type OAuthClientAuth } from "./client-auth/create-client-auth.js";
export { type AuthorizationInfo, discoverAuthorization } from "./client-auth/discover-authorization.js";
export { ClientAuthError } from "./client-auth/errors.js";
export type { ClientAuthOptions } from "./client-auth/options.js";
export { AuthRequiredError } from "./login/auth-required.js";
export type { OAuthFactoryConfig } from "./providers/config.js";
export { createOAuthAdapters, type OAuthAdapters } from "./create-oauth-adapters.js";
export { createFileTokenStore } from "./tokens/file-token-store.js";
export type { Accounts, AuthAdapter, LoopbackAdapter } from "./loopback-adapter.js";
export type { OAuthProvider } from "./providers/provider.js";
export { type CachedToken, createMemoryTokenStore, type TokenStore } from "./tokens/token-store.js";
