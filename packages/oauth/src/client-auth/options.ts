/**
 * @fileoverview Options for `createClientAuth`.
 * @module oauth/client-auth/options
 */
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import type { TokenStore } from "../tokens/token-store.js";

/** Client that was registered with an authorization server in advance. */
export interface RegisteredClient {
  /**
   * Issuer identifier of the authorization server, exactly as in its metadata. The ID and the secret are never sent to
   * a different server.
   */
  readonly issuer: string;
  readonly clientId: string;
  /** Client secret. Omit it for a public client. */
  readonly clientSecret?: string;
  /** Private key for authentication with signed assertions (`private_key_jwt`), instead of a secret. */
  readonly privateKey?: CryptoKey | { readonly key: CryptoKey; readonly kid: string };
}

type CryptoKey = Awaited<ReturnType<Ports["subtle"]["importKey"]>>;

/** Description of the client for dynamic registration (RFC 7591). Authorization servers show it to the user. */
export interface ClientMetadata {
  readonly client_name: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  readonly contacts?: readonly string[];
  readonly software_id?: string;
  readonly software_version?: string;
}

/** Parameters of an `authorize` function. */
export interface AuthorizeRequest {
  /** URL that the user must open. */
  readonly url: URL;
  /** Start of the URL that the authorization server redirects to. */
  readonly redirectUri: string;
  /** Aborts if no request waits for the sign-in any more, or after five minutes. */
  readonly signal: AbortSignal;
}

/** Options for `createClientAuth`. Without any, the client registers itself and opens the system's browser. */
export interface ClientAuthOptions {
  /** Description of the client. @default `{ client_name: "MCP client" }` */
  readonly clientMetadata?: ClientMetadata;
  /**
   * https URL of the client's metadata document. It is the client ID at authorization servers that support such
   * documents.
   */
  readonly clientMetadataUrl?: string;
  /** Clients that were registered in advance. They take precedence over other ways to obtain a client ID. */
  readonly clients?: readonly RegisteredClient[];
  /** Scopes to request in addition to those that the server asks for, separated by spaces. */
  readonly scope?: string;
  /**
   * URL that the authorization server redirects to. Without `authorize`, it must be an http URL on `127.0.0.1`,
   * `localhost`, or `[::1]`. Without a port in it, a free port is used.
   * @default "http://127.0.0.1/callback"
   */
  readonly redirectUri?: string;
  /** True to ask for refresh tokens, so that the user rarely signs in. @default true */
  readonly refreshTokens?: boolean;
  /**
   * True to obtain tokens for the program itself, without a user (client credentials). Requires an entry in `clients`
   * with a secret or a private key.
   * @default false
   */
  readonly clientCredentials?: boolean;
  /** Stores tokens and client registrations. @default a store in memory */
  readonly store?: TokenStore;
  /**
   * Lets the user sign in, and resolves with the URL that the authorization server redirected to. Requires
   * `redirectUri`.
   * @default opens the browser, and receives the redirect on a port of this machine
   */
  readonly authorize?: (request: AuthorizeRequest) => Promise<URL>;
  /** Called with the URL that the user must open, for example to print it. A browser is then not required. */
  readonly onSignIn?: (url: URL) => void;
  /** Opens a URL for the user. Rejects on failure. @default the system's browser */
  readonly openBrowser?: (url: URL) => Promise<void>;
  /** Receives log messages. They never contain tokens, codes, or secrets. */
  readonly logger?: Logger;
  /**
   * Allows authorization servers outside the public internet. `true` allows private addresses such as 10.0.0.5. A list
   * of host names also allows these hosts to be on this machine. If the host of the MCP server is itself a loopback or
   * private address, such addresses do not need this option.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | readonly string[];
  /**
   * Sends requests to authorization servers. On Node.js, the default resolves each host once, checks its addresses, and
   * connects only to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  readonly fetch?: Fetch;
  /** Clock, timers, and randomness, for tests. */
  readonly ports?: Partial<Ports>;
}
