/**
 * @fileoverview Validates the options for `createClientAuth` and fills in the defaults.
 * @module oauth/client-auth/settings
 */
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { privateNetworksProblem } from "@tenon/internal/security/destination";
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";
import type { Logger } from "tenon";
import { formatValue } from "../providers/config.js";
import type { ProviderFetchOptions } from "../providers/provider-fetch.js";
import { createMemoryTokenStore, type TokenStore } from "../tokens/token-store.js";
import { readScopeList } from "./discovery/scopes.js";
import type { AuthorizeRequest, ClientAuthOptions, ClientMetadata, RegisteredClient } from "./options.js";

/** Validated options. */
export interface ClientAuthSettings {
  readonly clientMetadata: ClientMetadata;
  readonly clientMetadataUrl: string | undefined;
  readonly clients: readonly RegisteredClient[];
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly wantsRefresh: boolean;
  /** True to obtain tokens without a user. */
  readonly isUnattended: boolean;
  readonly store: TokenStore;
  readonly authorize: ((request: AuthorizeRequest) => Promise<URL>) | undefined;
  readonly onSignIn: ((url: URL) => void) | undefined;
  readonly openBrowser: (url: URL) => Promise<void>;
  readonly logger: Logger;
  readonly ports: Ports;
  readonly outgoing: ProviderFetchOptions;
}

const DEFAULT_REDIRECT = "http://127.0.0.1/callback";

const OPTION_NAMES: OptionNames<ClientAuthOptions> = {
  clientMetadata: true,
  clientMetadataUrl: true,
  clients: true,
  scope: true,
  redirectUri: true,
  refreshTokens: true,
  clientCredentials: true,
  store: true,
  authorize: true,
  onSignIn: true,
  openBrowser: true,
  logger: true,
  allowPrivateNetworks: true,
  fetch: true,
  ports: true,
};

const ALIASES = { clientId: "clients", clientSecret: "clients", tokenStore: "store", scopes: "scope" };

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Validates the options. @throws with a message about the first problem */
export function toSettings(options: ClientAuthOptions): ClientAuthSettings {
  assertKnownOptions(options, { label: "createClientAuth", names: OPTION_NAMES, aliases: ALIASES });
  const problem = findProblem(options);
  if (problem !== undefined) throw new TypeError(`createClientAuth: ${problem}`);
  const ports = withPorts(options.ports);
  return {
    clientMetadata: options.clientMetadata ?? { client_name: "MCP client" },
    clientMetadataUrl: options.clientMetadataUrl,
    clients: options.clients ?? [],
    scopes: readScopeList(options.scope ?? "") ?? [],
    redirectUri: options.redirectUri ?? DEFAULT_REDIRECT,
    wantsRefresh: options.refreshTokens ?? true,
    isUnattended: options.clientCredentials ?? false,
    store: options.store ?? createMemoryTokenStore(ports),
    authorize: options.authorize,
    onSignIn: options.onSignIn,
    openBrowser: options.openBrowser ?? ((url: URL) => openBrowser(url)),
    logger: options.logger ?? SILENT,
    ports,
    outgoing: { allowPrivateNetworks: options.allowPrivateNetworks, fetch: options.fetch, ports },
  };
}

function findProblem(options: ClientAuthOptions): string | undefined {
  return (
    metadataProblem(options) ??
    clientsProblem(options) ??
    redirectProblem(options) ??
    privateNetworksProblem(options.allowPrivateNetworks)
  );
}

function metadataProblem({ clientMetadata, clientMetadataUrl }: ClientAuthOptions): string | undefined {
  const name: unknown = clientMetadata?.client_name;
  if (clientMetadata !== undefined && (typeof name !== "string" || name.trim() === ""))
    return `\`clientMetadata.client_name\` must be a non-empty string; got ${formatValue(name)}.`;
  if (clientMetadataUrl === undefined || isDocumentUrl(clientMetadataUrl)) return undefined;
  const got = formatValue(clientMetadataUrl);
  return `\`clientMetadataUrl\` must be an https URL with a path, and without credentials and fragment; got ${got}.`;
}

/** Checks the rules for client IDs that are URLs. */
function isDocumentUrl(text: unknown): boolean {
  if (typeof text !== "string" || !isUrl(text)) return false;
  const { protocol, pathname, username, password, href } = new URL(text);
  const isPlain = username === "" && password === "" && !text.includes("#");
  // Authorization servers compare the ID as text, so it must already have its normal form.
  return protocol === "https:" && pathname !== "/" && isPlain && href === text;
}

function clientsProblem({ clients = [], clientCredentials }: ClientAuthOptions): string | undefined {
  const list: unknown = clients; // JavaScript callers can pass anything
  if (!Array.isArray(list)) return "`clients` must be an array of registered clients.";
  for (const [index, client] of clients.entries()) {
    const { issuer, clientId, clientSecret, privateKey } = client;
    const name = `clients[${index}]`;
    if (typeof issuer !== "string" || !isUrl(issuer))
      return `\`${name}.issuer\` must be the URL of an authorization server; got ${formatValue(issuer)}.`;
    if (typeof clientId !== "string" || clientId === "")
      return `\`${name}.clientId\` must be a non-empty string; got ${formatValue(clientId)}.`;
    if (clientSecret !== undefined && (typeof clientSecret !== "string" || clientSecret === ""))
      return `\`${name}.clientSecret\` must be a non-empty string. Omit it for a public client.`;
    if (clientSecret !== undefined && privateKey !== undefined)
      return `\`${name}\` must have either \`clientSecret\` or \`privateKey\`, not both.`;
    if (clientCredentials === true && clientSecret === undefined && privateKey === undefined)
      return `\`${name}\` must have \`clientSecret\` or \`privateKey\`, because \`clientCredentials\` is true.`;
  }
  if (clientCredentials === true && clients.length === 0)
    return "`clientCredentials` requires an entry in `clients`.";
  return undefined;
}

function redirectProblem({ authorize, redirectUri }: ClientAuthOptions): string | undefined {
  if (authorize !== undefined) {
    if (redirectUri === undefined) return "`authorize` requires `redirectUri`.";
    return isRedirect(redirectUri)
      ? undefined
      : "`redirectUri` must be an https URL, an http URL on this machine, or a URL with the scheme of an application, " +
          `without a fragment; got ${formatValue(redirectUri)}.`;
  }
  if (redirectUri === undefined || isCallbackUrl(redirectUri)) return undefined;
  return (
    '`redirectUri` must be an http URL on "127.0.0.1", "localhost", or "[::1]", without a query and fragment; ' +
    `got ${formatValue(redirectUri)}. For other URLs, pass \`authorize\`.`
  );
}

function isRedirect(text: string): boolean {
  if (!isUrl(text) || text.includes("#")) return false;
  const { protocol } = new URL(text);
  // A private scheme contains the application's domain in reverse (RFC 8252), so that it has a dot.
  return protocol === "https:" || isLoopbackHttp(text) || /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]+:$/.test(protocol);
}

function isCallbackUrl(text: string): boolean {
  if (!isLoopbackHttp(text) || /[?#]/.test(text)) return false;
  const { hostname, pathname } = new URL(text);
  return LOOPBACK_HOSTS.includes(hostname) && /^\/[\w./-]*$/.test(pathname);
}
