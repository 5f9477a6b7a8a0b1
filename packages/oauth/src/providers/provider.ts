/**
 * @fileoverview Description of an authorization server as data. Google and Microsoft are built in. Any other server can
 * be described with an object of the same type.
 * @module oauth/providers/provider
 */
import type { JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, oneOf, text } from "@tenon/internal/options/option-rows";
import { isUrl } from "@tenon/internal/security/is-url";
import { isLoopbackHttp } from "@tenon/internal/security/loopback";

const ENDPOINT = {
  required: true,
  expected: "an https URL, or an http URL on a loopback address",
  accepts: isSafeEndpoint,
} as const;

/** Members of a provider's description. */
export const PROVIDER = /* @__PURE__ */ defineOptions("OAuthProvider", {
  /** Display name in messages, such as `Google`. */
  name: text({ required: true }),
  /** Issuer identifier. If the callback has an `iss` parameter, it must be equal (RFC 9207). */
  issuer: text({ required: true }),
  /** Checks the `iss` parameter, for servers with multiple issuers. @default compares it with `issuer` */
  isIssuer: callback<(issuer: string) => boolean>(),
  /** Endpoint where the user signs in. */
  authorizationEndpoint: custom<string>(ENDPOINT),
  /** Endpoint that issues tokens. */
  tokenEndpoint: custom<string>(ENDPOINT),
  /** Endpoint that returns the account's email address as JSON when called with an access token. */
  userEndpoint: custom<string>(ENDPOINT),
  /** Reads the email address from that response. @default its `email` member */
  readEmail: callback<(user: JsonObject) => unknown>(),
  /** Scope required to read the email address. The error for a missing address suggests it. */
  emailScope: text(),
  /**
   * Loopback host that the server accepts in a redirect URI.
   * @default 127.0.0.1
   */
  redirectHost: oneOf(["127.0.0.1", "localhost", "[::1]"], { default: "127.0.0.1" }),
  /** Path in the redirect URI. @default /callback */
  redirectPath: text({
    default: "/callback",
    pattern: /^\/[\w./-]*$/,
    expected: "a path that starts with a slash and contains only letters, digits, and the characters . / _ -",
  }),
  /** Parameters for every authorization request, such as those that request a refresh token. */
  authorizationParameters: custom<Readonly<Record<string, string>>>(),
  /** Parameters for adding a further account, such as those that show the account chooser. They take precedence. */
  addAccountParameters: custom<Readonly<Record<string, string>>>(),
  /** Method for sending the client secret. @default client_secret_post */
  clientAuthentication: oneOf(["client_secret_post", "client_secret_basic"], {
    default: "client_secret_post",
  }),
});

/** Description of an authorization server and its user endpoint. */
export type OAuthProvider = OptionsOf<typeof PROVIDER>;

/** Names of the built-in providers. */
export type ProviderName = "google" | "microsoft";

/** Returns true if tokens and secrets cannot be intercepted: the URL uses https, or http on a loopback address. */
function isSafeEndpoint(address: unknown): boolean {
  if (typeof address !== "string" || !isUrl(address)) return false;
  return new URL(address).protocol === "https:" || isLoopbackHttp(address);
}
