/**
 * @fileoverview Options for `createClientAuth`.
 * @module oauth/client-auth/options
 */
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { isJsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, flag, text } from "@tenon/internal/options/option-rows";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import { PRIVATE_NETWORKS } from "@tenon/internal/security/destination";
import { isUrl } from "@tenon/internal/security/is-url";
import type { Logger } from "tenon";
import type { TokenStore } from "../tokens/token-store.js";

/** Client that was registered with an authorization server in advance. */
export const REGISTERED_CLIENT = /* @__PURE__ */ defineOptions("RegisteredClient", {
  /**
   * Issuer identifier of the authorization server, exactly as in its metadata. The ID and the secret are never sent to
   * a different server.
   */
  issuer: custom<string>({
    required: true,
    expected: "the URL of an authorization server",
    accepts: (value) => typeof value === "string" && isUrl(value),
  }),
  /** ID that the authorization server gave to the client. */
  clientId: text({ required: true }),
  /** Client secret. Omit it for a public client. */
  clientSecret: text({ isSecret: true, fix: () => "Omit it for a public client." }),
  /** Private key for authentication with signed assertions (`private_key_jwt`), instead of a secret. */
  privateKey: custom<CryptoKey | { readonly key: CryptoKey; readonly kid: string }>(),
});

/** Client that was registered with an authorization server in advance. */
export type RegisteredClient = OptionsOf<typeof REGISTERED_CLIENT>;

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

const OUTGOING_ROWS = {
  /**
   * Allows authorization servers outside the public internet. `true` allows private addresses such as 10.0.0.5. A list
   * of host names also allows these hosts to be on this machine. If the host of the MCP server is itself a loopback or
   * private address, such addresses do not need this option.
   * @default false
   */
  allowPrivateNetworks: PRIVATE_NETWORKS,
  /**
   * Sends requests to authorization servers. On Node.js, the default resolves each host once, checks its addresses, and
   * connects only to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  fetch: callback<Fetch>(),
  /** Clock, timers, and randomness, for tests. */
  ports: custom<Partial<Ports>>(),
};

/** Options for `discoverAuthorization`. */
export const DISCOVER_OPTIONS = /* @__PURE__ */ defineOptions("discoverAuthorization", {
  /** Aborts the requests. */
  signal: custom<AbortSignal>(),
  ...OUTGOING_ROWS,
});

/** Options for `discoverAuthorization`. */
export type DiscoverOptions = OptionsOf<typeof DISCOVER_OPTIONS>;

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Options for `createClientAuth`. */
export const CLIENT_AUTH_OPTIONS = /* @__PURE__ */ defineOptions("createClientAuth", {
  /** Description of the client. @default `{ client_name: "MCP client" }` */
  clientMetadata: custom<ClientMetadata>({
    default: { client_name: "MCP client" },
    expected: "an object with a non-empty string `client_name`",
    accepts: (value) => isJsonObject(value) && isFilled(value["client_name"]),
  }),
  /**
   * https URL of the client's metadata document. It is the client ID at authorization servers that support such
   * documents.
   */
  clientMetadataUrl: custom<string>({
    expected: "an https URL with a path, and without credentials and fragment",
    accepts: isDocumentUrl,
  }),
  /** Clients that were registered in advance. They take precedence over other ways to obtain a client ID. */
  clients: custom<readonly RegisteredClient[]>({
    default: [],
    expected: "an array of registered clients",
    accepts: (value) => Array.isArray(value),
    aliases: ["clientId", "clientSecret"],
  }),
  /** Scopes to request in addition to those that the server asks for, separated by spaces. */
  scope: custom<string>({ aliases: ["scopes"] }),
  /**
   * URL that the authorization server redirects to. Without `authorize`, it must be an http URL on `127.0.0.1`,
   * `localhost`, or `[::1]`. Without a port in it, a free port is used.
   * @default http://127.0.0.1/callback
   */
  redirectUri: custom<string>(),
  /** True to ask for refresh tokens, so that the user rarely signs in. @default true */
  refreshTokens: flag({ default: true }),
  /**
   * True to obtain tokens for the program itself, without a user (client credentials). Requires an entry in `clients`
   * with a secret or a private key.
   * @default false
   */
  clientCredentials: flag({ default: false }),
  /** Stores tokens and client registrations. @default a store in memory */
  store: custom<TokenStore>({ aliases: ["tokenStore"] }),
  /**
   * Lets the user sign in, and resolves with the URL that the authorization server redirected to. Requires
   * `redirectUri`.
   * @default opens the browser, and receives the redirect on a port of this machine
   */
  authorize: callback<(request: AuthorizeRequest) => Promise<URL>>(),
  /** Called with the URL that the user must open, for example to print it. A browser is then not required. */
  onSignIn: callback<(url: URL) => void>(),
  /** Opens a URL for the user. Rejects on failure. @default the system's browser */
  openBrowser: callback<(url: URL) => Promise<void>>({ default: (url) => openBrowser(url) }),
  /** Receives log messages. They never contain tokens, codes, or secrets. */
  logger: custom<Logger>({ default: SILENT }),
  ...OUTGOING_ROWS,
});

/** Options for `createClientAuth`. Without any, the client registers itself and opens the system's browser. */
export type ClientAuthOptions = OptionsOf<typeof CLIENT_AUTH_OPTIONS>;

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Checks the rules for client IDs that are URLs. */
function isDocumentUrl(text: unknown): boolean {
  if (typeof text !== "string" || !isUrl(text)) return false;
  const { protocol, pathname, username, password, href } = new URL(text);
  const isPlain = username === "" && password === "" && !text.includes("#");
  // Authorization servers compare the ID as text, so it must already have its normal form.
  return protocol === "https:" && pathname !== "/" && isPlain && href === text;
}
