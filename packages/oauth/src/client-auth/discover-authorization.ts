/**
 * @fileoverview Describes the authorization of an MCP server, for example to configure a client in advance.
 * @module oauth/client-auth/discover-authorization
 */
import { parseOptions } from "@tenon/internal/options/define-options";
import { withPorts } from "@tenon/internal/ports";
import { discover } from "./discovery/discover.js";
import { endpointId } from "./endpoint-state.js";
import { DISCOVER_OPTIONS, type DiscoverOptions } from "./options.js";

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

/** Finds the authorization server of an MCP endpoint. @throws {ClientAuthError} if its metadata is not valid */
export async function discoverAuthorization(
  url: URL | string,
  options: DiscoverOptions = {},
): Promise<AuthorizationInfo> {
  const { allowPrivateNetworks, fetch, ports, signal } = parseOptions(DISCOVER_OPTIONS, options);
  const request = { preferred: [], signal: signal ?? new AbortController().signal };
  const endpoint = new URL(endpointId(new URL(url)));
  const {
    resource,
    scopes = [],
    server,
  } = await discover({ ...request, endpoint }, { allowPrivateNetworks, fetch, ports: withPorts(ports) });
  return {
    resource,
    issuer: server.issuer,
    scopes,
    acceptsMetadataUrl: server.acceptsDocuments,
    acceptsRegistration: server.registrationEndpoint !== undefined,
    hasResourceMetadata: !server.isLegacy,
  };
}
