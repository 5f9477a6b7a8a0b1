/**
 * @fileoverview The metadata of a protected resource (RFC 9728), which tells clients where to get their tokens.
 * @module auth/resource-metadata
 */

/** What the metadata says. */
export interface ResourceDescription {
  /** The server's canonical address. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  readonly resourceName: string | undefined;
}

/** The metadata, and where it is. */
export interface ResourceMetadata {
  readonly url: string;
  readonly paths: ReadonlySet<string>;
  readonly json: string;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Writes the metadata once. It is found at the root as well as under the path of the resource. */
export function describeResource(description: ResourceDescription): ResourceMetadata {
  const { resource, authorizationServers, scopesSupported, resourceName } = description;
  const { origin, pathname } = new URL(resource);
  const path = pathname === "/" ? WELL_KNOWN : `${WELL_KNOWN}${pathname}`;
  const document = {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopesSupported,
    bearer_methods_supported: ["header"],
    resource_name: resourceName,
  };
  return { url: `${origin}${path}`, paths: new Set([WELL_KNOWN, path]), json: JSON.stringify(document) };
}

/**
 * The audiences that mean a resource: its address, and where it is a bare origin, the same with or without the slash
 * that URL libraries put after it.
 */
export function audiencesOf(resource: string): readonly string[] {
  const { origin, pathname } = new URL(resource);
  return pathname === "/" ? [...new Set([resource, origin, `${origin}/`])] : [resource];
}
