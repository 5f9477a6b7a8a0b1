/**
 * @fileoverview Description of an authorization server as data. Google and Microsoft are built in. Any other server can
 * be described with an object of the same type.
 * @module oauth/provider
 */
import type { JsonObject } from "@tenon/internal/json";

/** Description of an authorization server and its user endpoint. */
export interface OAuthProvider {
  /** Display name in messages, such as `Google`. */
  readonly name: string;
  /** Issuer identifier. If the callback has an `iss` parameter, it must be equal (RFC 9207). */
  readonly issuer: string;
  /** Checks the `iss` parameter, for servers with multiple issuers. @default compares it with `issuer` */
  readonly isIssuer?: (issuer: string) => boolean;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Endpoint that returns the account's email address as JSON when called with an access token. */
  readonly userEndpoint: string;
  /** Reads the email address from that response. @default its `email` member */
  readonly readEmail?: (user: JsonObject) => unknown;
  /** Scope required to read the email address. The error for a missing address suggests it. */
  readonly emailScope?: string;
  /**
   * Loopback host that the server accepts in a redirect URI.
   * @default "127.0.0.1"
   */
  readonly redirectHost?: "127.0.0.1" | "localhost" | "[::1]";
  /** Path in the redirect URI. @default "/callback" */
  readonly redirectPath?: string;
  /** Parameters for every authorization request, such as those that request a refresh token. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Parameters for adding a further account, such as those that show the account chooser. They take precedence. */
  readonly addAccountParameters?: Readonly<Record<string, string>>;
  /** Method for sending the client secret. @default "client_secret_post" */
  readonly clientAuthentication?: "client_secret_post" | "client_secret_basic";
}

/** Names of the built-in providers. */
export type ProviderName = "google" | "microsoft";
