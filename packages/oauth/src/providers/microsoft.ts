/**
 * @fileoverview Microsoft as an OAuth provider.
 * @module oauth/providers/microsoft
 */
import type { OAuthProvider } from "./provider.js";

const AUTHORITY = "https://login.microsoftonline.com";

/** Creates the provider for a tenant: an ID, a domain, or a name for multiple tenants, such as `common`. */
export function microsoft(tenant = "common"): OAuthProvider {
  const base = `${AUTHORITY}/${tenant}`;
  const issuer = `${base}/v2.0`;
  // The issuer contains the tenant ID, which is unknown if the tenant is a domain or a name for multiple tenants.
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenant);
  return {
    name: "Microsoft",
    issuer,
    ...(isId ? {} : { isIssuer }),
    authorizationEndpoint: `${base}/oauth2/v2.0/authorize`,
    tokenEndpoint: `${base}/oauth2/v2.0/token`,
    userEndpoint: "https://graph.microsoft.com/v1.0/me",
    // Guests and personal accounts may not have a mailbox.
    readEmail: ({ mail, userPrincipalName }) => mail ?? userPrincipalName,
    emailScope: "User.Read",
    // Entra ID accepts any port on localhost, but not on 127.0.0.1.
    redirectHost: "localhost",
    authorizationParameters: { prompt: "select_account" },
  };
}

function isIssuer(issuer: string): boolean {
  return /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/i.test(issuer);
}
