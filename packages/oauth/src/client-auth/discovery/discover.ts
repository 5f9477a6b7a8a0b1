/**
 * @fileoverview Finds the authorization server of an MCP endpoint, and the resource to request a token for.
 * @module oauth/client-auth/discovery/discover
 */
import { createDestinationRule } from "@tenon/internal/security/destination";
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import { REVISIONS } from "tenon/protocol";
import type { ProviderFetchOptions } from "../../providers/provider-fetch.js";
import { ClientAuthError, showUrl } from "../errors.js";
import { createFetchDocument } from "./documents.js";
import { canonicalUri, findResourceMetadata } from "./resource-metadata.js";
import {
  findLegacyServer,
  findServerMetadata,
  type ServerLookup,
  type ServerMetadata,
} from "./server-metadata.js";

/** Authorization server of an endpoint. */
export interface Discovery {
  /** Value of the `resource` parameter (RFC 8707). */
  readonly resource: string;
  /** `scopes_supported` of the resource. */
  readonly scopes: readonly string[] | undefined;
  readonly server: ServerMetadata;
}

/** Request for the authorization server of an endpoint. */
export interface DiscoveryRequest {
  readonly endpoint: URL;
  /** URL of the resource metadata in the challenge. */
  readonly announced?: string | undefined;
  /** URL of the resource metadata in an earlier challenge. */
  readonly remembered?: string | undefined;
  /** Issuers for which the client has an ID, if the server supports several. The first one takes precedence. */
  readonly preferred: readonly string[];
  readonly signal: AbortSignal;
}

/** Finds the authorization server of an endpoint. @throws {ClientAuthError} */
export async function discover(request: DiscoveryRequest, options: ProviderFetchOptions): Promise<Discovery> {
  const { endpoint, announced, remembered, preferred, signal } = request;
  assertSecure(endpoint);
  const lookup = createLookup(endpoint, signal, options);
  const metadata = await findResourceMetadata({ ...lookup, endpoint, announced, remembered });
  if (metadata === undefined) {
    const server = await findLegacyServer(endpoint, LEGACY_VERSION, lookup);
    return { resource: canonicalUri(endpoint), scopes: undefined, server };
  }
  const { resource, issuers, scopes } = metadata;
  const issuer = preferred.find((one) => issuers.includes(one)) ?? issuers[0];
  return { resource, scopes, server: await findServerMetadata(issuer, lookup) };
}

/** Finds an authorization server that issued a token for this endpoint earlier. */
export function findKnownServer(
  request: Pick<DiscoveryRequest, "endpoint" | "signal"> & {
    readonly issuer: string;
    readonly isLegacy: boolean;
  },
  options: ProviderFetchOptions,
): Promise<ServerMetadata> {
  const { endpoint, signal, issuer, isLegacy } = request;
  const lookup = createLookup(endpoint, signal, options);
  return isLegacy ? findLegacyServer(endpoint, LEGACY_VERSION, lookup) : findServerMetadata(issuer, lookup);
}

/** First revision with authorization, and the only one without resource metadata. */
const LEGACY_VERSION = REVISIONS[1];

function createLookup(endpoint: URL, signal: AbortSignal, options: ProviderFetchOptions): ServerLookup {
  return {
    fetchDocument: createFetchDocument(endpoint, options),
    rule: createDestinationRule(endpoint.href, options.allowPrivateNetworks),
    signal,
  };
}

function assertSecure({ protocol, href }: URL): void {
  if (protocol === "https:" || isLoopbackHttp(href)) return;
  throw new ClientAuthError(
    "insecure_url",
    `Access tokens are sent only over https, except to this machine; got ${showUrl(href)}.`,
  );
}
