/**
 * @fileoverview Finds the protected resource metadata of an MCP server (RFC 9728), which names its authorization
 * servers.
 * @module oauth/client-auth/discovery/resource-metadata
 */
import type { JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { ClientAuthError, showUrl } from "../errors.js";
import type { FetchDocument } from "./documents.js";
import { readScopeList } from "./scopes.js";

/** Metadata of an MCP server. */
export interface ResourceMetadata {
  /** Resource identifier, exactly as the server published it. */
  readonly resource: string;
  /** Issuer identifiers of the authorization servers, at least one. */
  readonly issuers: readonly [string, ...string[]];
  /** `scopes_supported`. */
  readonly scopes: readonly string[] | undefined;
}

/** Request for the metadata of one endpoint. */
export interface ResourceRequest {
  readonly endpoint: URL;
  /** URL of the metadata in the challenge. */
  readonly announced: string | undefined;
  /** URL of the metadata in an earlier challenge. */
  readonly remembered: string | undefined;
  readonly fetchDocument: FetchDocument;
  readonly signal: AbortSignal;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Maximum number of authorization servers that are considered. */
const MAX_ISSUERS = 20;

/**
 * Fetches the metadata from the announced URL. Without one, tries the URL of an earlier challenge and the well-known
 * URLs, and returns `undefined` if none of them has metadata.
 *
 * @throws if the announced metadata is missing, or the metadata belongs to a different server
 */
export async function findResourceMetadata(request: ResourceRequest): Promise<ResourceMetadata | undefined> {
  const { endpoint, announced, remembered, fetchDocument, signal } = request;
  if (announced !== undefined) {
    const outcome = await fetchDocument(announced, signal);
    if (outcome.ok) return toMetadata(outcome.document, endpoint, announced);
    throw new ClientAuthError(
      "discovery_failed",
      `The resource metadata at ${showUrl(announced)} is not available: ${outcome.problem}.`,
    );
  }
  for (const url of [...(remembered === undefined ? [] : [remembered]), ...wellKnownUrls(endpoint)]) {
    const outcome = await fetchDocument(url, signal);
    if (outcome.ok) return toMetadata(outcome.document, endpoint, url);
  }
  return undefined;
}

/** Returns the URI that identifies an endpoint without metadata. A path of `/` is omitted, as the specification asks. */
export function canonicalUri(endpoint: URL): string {
  const { origin, pathname, search } = endpoint;
  return pathname === "/" && search === "" ? origin : `${origin}${pathname}${search}`;
}

/**
 * Returns true if a resource identifier covers an endpoint: it has the same origin, and its path is the endpoint's path
 * or a parent of it.
 */
export function coversEndpoint(resource: string, endpoint: URL): boolean {
  if (!isUrl(resource) || resource.includes("#")) return false;
  const { origin, pathname, search, username, password } = new URL(resource);
  if (origin !== endpoint.origin || username !== "" || password !== "") return false;
  if (search !== "" && (search !== endpoint.search || pathname !== endpoint.pathname)) return false;
  const parent = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return `${endpoint.pathname}/`.startsWith(parent);
}

/** Lists the well-known URLs: with the endpoint's path, then without it. */
function wellKnownUrls({ origin, pathname, search }: URL): readonly string[] {
  const root = `${origin}${WELL_KNOWN}`;
  const path = pathname.replace(/\/$/, "");
  return path === "" && search === "" ? [root] : [`${root}${path}${search}`, root];
}

function toMetadata(document: JsonObject, endpoint: URL, url: string): ResourceMetadata {
  const { resource, authorization_servers: servers, scopes_supported: scopes } = document;
  if (typeof resource !== "string") {
    throw new ClientAuthError(
      "discovery_failed",
      `The resource metadata at ${showUrl(url)} has no \`resource\`.`,
    );
  }
  // Otherwise, a server could obtain a token that was issued for a different one.
  if (!coversEndpoint(resource, endpoint)) {
    throw new ClientAuthError(
      "resource_mismatch",
      `The resource metadata at ${showUrl(url)} belongs to a different server: \`resource\` must cover ` +
        `${showUrl(endpoint.href)}; got ${showUrl(resource)}.`,
    );
  }
  const list = Array.isArray(servers) ? servers.slice(0, MAX_ISSUERS) : [];
  const [first, ...others] = list.filter((issuer): issuer is string => typeof issuer === "string");
  if (first === undefined) {
    throw new ClientAuthError(
      "discovery_failed",
      `The resource metadata at ${showUrl(url)} lists no authorization server.`,
    );
  }
  return { resource, issuers: [first, ...others], scopes: readScopeList(scopes) };
}
