/**
 * @fileoverview Validates the options for `createClientAuth` and fills in the defaults.
 * @module oauth/client-auth/settings
 */
import { showValue } from "@tenon/internal/kind-of";
import { listOptionProblems, type ParsedOptions, parseOptions } from "@tenon/internal/options/define-options";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { isUrl } from "@tenon/internal/security/is-url";
import { isLoopbackHttp, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { createMemoryTokenStore, type TokenStore } from "../tokens/token-store.js";
import { readScopeList } from "./discovery/scopes.js";
import { CLIENT_AUTH_OPTIONS, type ClientAuthOptions, REGISTERED_CLIENT } from "./options.js";

/** Validated options. */
export interface ClientAuthSettings extends ParsedOptions<typeof CLIENT_AUTH_OPTIONS> {
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly store: TokenStore;
  readonly ports: Ports;
}

const DEFAULT_REDIRECT = "http://127.0.0.1/callback";

/** Validates the options. @throws with a message about the first problem */
export function toSettings(options: ClientAuthOptions): ClientAuthSettings {
  const parsed = parseOptions(CLIENT_AUTH_OPTIONS, options);
  const problem = clientsProblem(parsed) ?? redirectProblem(options);
  if (problem !== undefined) throw new TypeError(`createClientAuth: ${problem}`);
  const ports = withPorts(options.ports);
  return {
    ...parsed,
    scopes: readScopeList(options.scope ?? "") ?? [],
    redirectUri: options.redirectUri ?? DEFAULT_REDIRECT,
    store: options.store ?? createMemoryTokenStore(ports),
    ports,
  };
}

type Parsed = ParsedOptions<typeof CLIENT_AUTH_OPTIONS>;

function clientsProblem({ clients, clientCredentials }: Parsed): string | undefined {
  for (const [index, client] of clients.entries()) {
    const name = `clients[${index}]`;
    for (const problem of listOptionProblems(REGISTERED_CLIENT, client, name)) return problem;
    const { clientSecret, privateKey } = client;
    if (clientSecret !== undefined && privateKey !== undefined)
      return `\`${name}\` must have either \`clientSecret\` or \`privateKey\`, not both.`;
    if (clientCredentials && clientSecret === undefined && privateKey === undefined)
      return `\`${name}\` must have \`clientSecret\` or \`privateKey\`, because \`clientCredentials\` is true.`;
  }
  if (clientCredentials && clients.length === 0) return "`clientCredentials` requires an entry in `clients`.";
  return undefined;
}

function redirectProblem({ authorize, redirectUri }: ClientAuthOptions): string | undefined {
  if (authorize !== undefined) {
    if (redirectUri === undefined) return "`authorize` requires `redirectUri`.";
    return isRedirect(redirectUri)
      ? undefined
      : "`redirectUri` must be an https URL, an http URL on this machine, or a URL with the scheme of an application, " +
          `without a fragment; got ${showValue(redirectUri)}.`;
  }
  if (redirectUri === undefined || isCallbackUrl(redirectUri)) return undefined;
  return (
    '`redirectUri` must be an http URL on "127.0.0.1", "localhost", or "[::1]", without a query and fragment; ' +
    `got ${showValue(redirectUri)}. For other URLs, pass \`authorize\`.`
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
