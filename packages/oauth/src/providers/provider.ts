/**
 * @fileoverview What must be known of an authorization server, as data. Google and Microsoft are described in files of
 * their own; any other server is one object of this shape.
 * @module oauth/provider
 */
import type { JsonObject } from "@tenon/internal/json";

/** An authorization server and the endpoint that tells whose token it is. */
export interface OAuthProvider {
  /** What a person calls it, such as `Google`. */
  readonly name: string;
  /** Its issuer identifier, which an `iss` in the callback must equal (RFC 9207). */
  readonly issuer: string;
  /** Decides on `iss` where one server has many issuers. @default equal to `issuer` */
  readonly isIssuer?: (issuer: string) => boolean;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Answers a request with the access token with JSON that has the account's email. */
  readonly userEndpoint: string;
  /** Finds the email in that answer. @default its `email` */
  readonly readEmail?: (user: JsonObject) => unknown;
  /** The scope that lets the email be read; named where it cannot. */
  readonly emailScope?: string;
  /**
   * The loopback address that the server wants in a redirect URI.
   * @default "127.0.0.1"
   */
  readonly redirectHost?: "127.0.0.1" | "localhost" | "[::1]";
  /** @default "/callback" */
  readonly redirectPath?: string;
  /** Sent with every authorization request, such as what it takes to get a refresh token. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Sent as well, and first, where a further account is added: what makes the server ask which one. */
  readonly addAccountParameters?: Readonly<Record<string, string>>;
  /** How a client secret is sent. @default "client_secret_post" */
  readonly clientAuthentication?: "client_secret_post" | "client_secret_basic";
}

/** The providers that Tenon describes. */
export type ProviderName = "google" | "microsoft";
