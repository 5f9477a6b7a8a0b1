/**
 * @fileoverview Google as an OAuth provider.
 * @module oauth/providers/google
 */
import type { OAuthProvider } from "./provider.js";

/** Google. It returns a refresh token only for offline access and, after the first login, only with new consent. */
export const google: OAuthProvider = {
  name: "Google",
  issuer: "https://accounts.google.com",
  authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
  tokenEndpoint: "https://oauth2.googleapis.com/token",
  userEndpoint: "https://www.googleapis.com/oauth2/v2/userinfo",
  emailScope: "https://www.googleapis.com/auth/userinfo.email",
  redirectHost: "127.0.0.1",
  authorizationParameters: { access_type: "offline", prompt: "consent" },
  addAccountParameters: { prompt: "select_account consent" },
};
