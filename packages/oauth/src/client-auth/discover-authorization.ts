/**
 * @fileoverview Describes the authorization of an MCP server, for example to configure a client in advance.
 * @module oauth/client-auth/discover-authorization
 */
import { withPorts } from "@tenon/internal/ports";
import { discover } from "./discovery/discover.js";
import { endpointId } from "./endpoint-state.js";
import type { ClientAuthOptions } from "./options.js";

/** Authorization of an MCP server. */
export interface AuthorizationInfo {
  /** Resource identifier of the MCP server. */
  readonly resource: string;
  /** Issuer identifier of the authorization server, for the option `clients`. */
  readonly issuer: string;
  /** Scopes that the server recommends. */
  readonly scopes: readonly string[];
  /** True if a client ID can be the URL of a metadata document (`clientMetadataUrl`). */
  readonly acceptsMetadataUrl: boolean;
  /** True if clients can register themselves. */
  readonly acceptsRegistration: boolean;
  /** False if the server has no resource metadata, so that it is assumed to be its own authorization server. */
  readonly hasResourceMetadata: boolean;
}

/** Options for `discoverAuthorization`. */
export interface DiscoverOptions extends Pick<ClientAuthOptions, "allowPrivateNetworks" | "fetch" | "ports"> {
  readonly signal?: AbortSignal;
}

/** Finds the authorization server of an MCP endpoint. @throws {ClientAuthError} if its metadata is not valid */
export async function discoverAuthorization(
  url: URL | string,
  options: DiscoverOptions = {},
): Promise<AuthorizationInfo> {
  const { allowPrivateNetworks, fetch, signal = new AbortController().signal } = options;
  const outgoing = { allowPrivateNetworks, fetch, ports: withPorts(options.ports) };
  const endpoint = new URL(endpointId(new URL(url)));
  const { resource, scopes = [], server } = await discover({ endpoint, preferred: [], signal }, outgoing);
  return {
    resource,
    issuer: server.issuer,
    scopes,
    acceptsMetadataUrl: server.acceptsDocuments,
    acceptsRegistration: server.registrationEndpoint !== undefined,
    hasResourceMetadata: !server.isLegacy,
  };
}
