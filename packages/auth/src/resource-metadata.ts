/**
 * @fileoverview Protected resource metadata (RFC 9728), which tells clients where to get a token.
 * @module auth/resource-metadata
 */
import type { AuthorizationSettings } from "./options.js";

/** Serialized metadata document, with the URL and the paths that serve it. */
export interface ResourceMetadata {
  /** Absolute URL, sent in challenges. */
  readonly url: string;
  /** Request paths that return the document. */
  readonly paths: ReadonlySet<string>;
  readonly json: string;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/**
 * Serializes the metadata once, if the server's URL is known. The document is served at the well-known path, with and
 * without the resource's own path.
 */
export function describeResource(settings: AuthorizationSettings<"oauth">): ResourceMetadata | undefined {
  const { resource, issuer, scopesSupported, resourceName } = settings;
  if (resource === undefined) return undefined;
  const { origin, pathname } = new URL(resource);
  const path = pathname === "/" ? WELL_KNOWN : `${WELL_KNOWN}${pathname}`;
  const document = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: scopesSupported,
    bearer_methods_supported: ["header"],
    resource_name: resourceName,
  };
  return { url: `${origin}${path}`, paths: new Set([WELL_KNOWN, path]), json: JSON.stringify(document) };
}

/**
 * Returns the audiences that identify a resource. A bare origin is accepted with and without the trailing slash,
 * because URL libraries add one.
 */
export function audiencesOf(resource: string): readonly string[] {
  const { origin, pathname } = new URL(resource);
  return pathname === "/" ? [...new Set([resource, origin, `${origin}/`])] : [resource];
}
