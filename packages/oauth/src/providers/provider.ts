/**
 * @fileoverview Description of an authorization server as data. Google and Microsoft are built in; any other server is
 * one object of this shape.
 * @module oauth/provider
 */
import type { JsonObject } from "@tenon/internal/json";

/** An authorization server and its user endpoint. */
export interface OAuthProvider {
  /** Display name, such as `Google`. */
  readonly name: string;
  /** Issuer identifier. An `iss` parameter of the callback must equal it (RFC 9207). */
  readonly issuer: string;
  /** Accepts an `iss` parameter, for servers with several issuers. @default equal to `issuer` */
  readonly isIssuer?: (issuer: string) => boolean;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Endpoint that returns the account's email as JSON for an access token. */
  readonly userEndpoint: string;
  /** Reads the email from that response. @default its `email` member */
  readonly readEmail?: (user: JsonObject) => unknown;
  /** Scope required to read the email. Error messages name it if the email is missing. */
  readonly emailScope?: string;
  /**
   * Loopback host that the server accepts in a redirect URI.
   * @default "127.0.0.1"
   */
  readonly redirectHost?: "127.0.0.1" | "localhost" | "[::1]";
  /** @default "/callback" */
  readonly redirectPath?: string;
  /** Parameters of every authorization request, such as those that request a refresh token. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Parameters for adding another account, such as those that show the account chooser. They take precedence. */
  readonly addAccountParameters?: Readonly<Record<string, string>>;
  /** Method of sending the client secret. @default "client_secret_post" */
  readonly clientAuthentication?: "client_secret_post" | "client_secret_basic";
}

/** Names of the built-in providers. */
export type ProviderName = "google" | "microsoft";
