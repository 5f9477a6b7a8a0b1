/**
 * @fileoverview Finds the metadata of an authorization server (RFC 8414, OpenID Connect Discovery). Servers of the first
 * revision with authorization have no resource metadata: their MCP server is its own authorization server.
 * @module oauth/client-auth/discovery/server-metadata
 */
import type { JsonObject } from "@tenon/internal/json";
import { checkUrl, type DestinationRule } from "@tenon/internal/security/destination";
import { isUrl } from "@tenon/internal/security/is-url";
import { ClientAuthError, showUrl } from "../errors.js";
import type { FetchDocument } from "./documents.js";
import { readScopeList } from "./scopes.js";

/** Metadata of an authorization server, after validation. */
export interface ServerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** `scopes_supported`, empty if it is unknown. */
  readonly scopes: readonly string[];
  /** `token_endpoint_auth_methods_supported`. */
  readonly authMethods: readonly string[] | undefined;
  /** True if the server supports PKCE with S256. */
  readonly hasPkce: boolean;
  /** True if every authorization response has an `iss` parameter (RFC 9207). */
  readonly sendsIssuer: boolean;
  /** True if a client ID can be the URL of a metadata document. */
  readonly acceptsDocuments: boolean;
  /** True if the MCP server is its own authorization server, because it has no resource metadata. */
  readonly isLegacy: boolean;
}

/** Dependencies of the lookups. */
export interface ServerLookup {
  readonly fetchDocument: FetchDocument;
  /** Destinations that endpoints may have. */
  readonly rule: DestinationRule;
  readonly signal: AbortSignal;
}

/** Fetches the metadata of an issuer. @throws if none of the well-known URLs has metadata of this issuer */
export async function findServerMetadata(issuer: string, lookup: ServerLookup): Promise<ServerMetadata> {
  if (!isUrl(issuer) || /[?#]/.test(issuer)) {
    throw new ClientAuthError(
      "discovery_failed",
      `The authorization server must be a URL without a query and fragment; got ${showUrl(issuer)}.`,
    );
  }
  const metadata = await tryUrls(wellKnownUrls(issuer), [issuer], lookup);
  if (metadata !== undefined) return metadata;
  throw new ClientAuthError(
    "discovery_failed",
    `The authorization server ${showUrl(issuer)} has no metadata.`,
  );
}

/** Fetches the metadata of an MCP server without resource metadata, or uses the default endpoints. */
export async function findLegacyServer(
  endpoint: URL,
  version: string,
  lookup: ServerLookup,
): Promise<ServerMetadata> {
  const { origin } = endpoint;
  const headers = { "mcp-protocol-version": version };
  const fetchDocument: FetchDocument = (url, signal) => lookup.fetchDocument(url, signal, headers);
  // The issuer is not given as text, so both spellings of the origin are the same identifier.
  const own = { ...lookup, fetchDocument };
  const metadata = await tryUrls(wellKnownUrls(origin), [origin, `${origin}/`], own);
  if (metadata !== undefined) return { ...metadata, isLegacy: true };
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    revocationEndpoint: undefined,
    scopes: [],
    authMethods: undefined,
    hasPkce: true, // required by that revision
    sendsIssuer: false,
    acceptsDocuments: false,
    isLegacy: true,
  };
}

/** Lists an issuer's metadata URLs in the order of the specification. */
function wellKnownUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** Returns the first document of one of the issuers. Documents of other issuers are never used. */
async function tryUrls(
  urls: readonly string[],
  issuers: readonly string[],
  { fetchDocument, rule, signal }: ServerLookup,
): Promise<ServerMetadata | undefined> {
  let mismatch: ClientAuthError | undefined;
  for (const url of urls) {
    const outcome = await fetchDocument(url, signal);
    if (!outcome.ok) continue;
    const { issuer } = outcome.document;
    if (typeof issuer === "string" && issuers.includes(issuer))
      return toServerMetadata(outcome.document, issuer, rule);
    const got = typeof issuer === "string" ? showUrl(issuer) : `a value of type ${typeof issuer}`;
    mismatch ??= new ClientAuthError(
      "issuer_mismatch",
      `The \`issuer\` in the metadata at ${showUrl(url)} must be exactly ${showUrl(issuers[0] ?? "")}; got ${got}.`,
    );
  }
  if (mismatch !== undefined) throw mismatch;
  return undefined;
}

function toServerMetadata(document: JsonObject, issuer: string, rule: DestinationRule): ServerMetadata {
  const endpoint = (name: string) => readEndpoint(document, name, rule);
  const tokenEndpoint = endpoint("token_endpoint");
  if (tokenEndpoint === undefined) {
    throw new ClientAuthError(
      "discovery_failed",
      `The metadata of ${showUrl(issuer)} has no \`token_endpoint\`.`,
    );
  }
  return {
    issuer,
    authorizationEndpoint: endpoint("authorization_endpoint"),
    tokenEndpoint,
    registrationEndpoint: endpoint("registration_endpoint"),
    revocationEndpoint: endpoint("revocation_endpoint"),
    scopes: readScopeList(document["scopes_supported"]) ?? [],
    authMethods: readNames(document["token_endpoint_auth_methods_supported"]),
    hasPkce: readNames(document["code_challenge_methods_supported"])?.includes("S256") === true,
    sendsIssuer: document["authorization_response_iss_parameter_supported"] === true,
    acceptsDocuments: document["client_id_metadata_document_supported"] === true,
    isLegacy: false,
  };
}

/** Reads an endpoint. The browser opens one of them, so that all are checked before their use. */
function readEndpoint(document: JsonObject, name: string, rule: DestinationRule): string | undefined {
  const url = document[name];
  if (url === undefined || url === null) return undefined;
  if (typeof url !== "string") {
    throw new ClientAuthError(
      "discovery_failed",
      `The authorization server's \`${name}\` must be a URL; got a value of type ${typeof url}.`,
    );
  }
  const check = checkUrl(url, rule);
  if (check.ok) return url;
  throw new ClientAuthError(
    "blocked_address",
    `The authorization server's \`${name}\` cannot be used, because ${check.problem}.`,
  );
}

function readNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : undefined;
}
