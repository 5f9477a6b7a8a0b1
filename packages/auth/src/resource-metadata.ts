/**
 * @fileoverview Protected resource metadata (RFC 9728), which names the authorization servers for clients.
 * @module auth/resource-metadata
 */

/** Contents of the metadata. */
export interface ResourceDescription {
  /** Canonical URL of the server. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  readonly resourceName: string | undefined;
}

/** Serialized metadata and its location. */
export interface ResourceMetadata {
  readonly url: string;
  readonly paths: ReadonlySet<string>;
  readonly json: string;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Serializes the metadata once. It is served at the root and under the path of the resource. */
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
 * Returns the audiences that identify a resource: its URL and, for a bare origin, the URL with and without the
 * trailing slash that URL libraries add.
 */
export function audiencesOf(resource: string): readonly string[] {
  const { origin, pathname } = new URL(resource);
  return pathname === "/" ? [...new Set([resource, origin, `${origin}/`])] : [resource];
}
