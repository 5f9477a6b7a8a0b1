/**
 * @fileoverview Obtains the client's ID at an authorization server: registered in advance, the URL of a metadata
 * document, or registered dynamically. Credentials are used only with the issuer that they belong to.
 * @module oauth/client-auth/flow/identity
 */
import * as oauth from "oauth4webapi";
import { createEndpointFetch } from "../../providers/provider-fetch.js";
import type { ServerMetadata } from "../discovery/server-metadata.js";
import { ClientAuthError, showUrl } from "../errors.js";
import type { Records, Registration, TokenRecord } from "../records.js";
import type { ClientAuthSettings } from "../settings.js";
import { authenticateClient, authenticateRegistration } from "./client-authentication.js";
import { registerClient } from "./register.js";

/** Client at one authorization server. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly authentication: oauth.ClientAuth;
  /** Registration, if the client registered itself. */
  readonly registration?: Registration;
}

/** Request for an identity. */
export interface IdentityRequest {
  readonly server: ServerMetadata;
  readonly redirectUri: string;
  /** Registration to use if its redirect URI is the same. */
  readonly stored: Registration | undefined;
  readonly signal: AbortSignal;
}

/** Obtains client IDs. */
export interface Identities {
  /** Returns the identity at a server where the client does not have to register itself. */
  findFixed(server: ServerMetadata): ClientIdentity | undefined;
  /** Returns the stored registration with a server, if the client must register itself there. */
  findRegistration(server: ServerMetadata): Promise<Registration | undefined>;
  /** Returns the client's identity, and registers the client if necessary. @throws {ClientAuthError} */
  obtain(request: IdentityRequest): Promise<ClientIdentity>;
  /** Returns the identity that a token was issued to. Returns `undefined` if it can no longer be used. */
  ofToken(record: TokenRecord, server: ServerMetadata): ClientIdentity | undefined;
}

/** Creates the source of client IDs for MCP endpoints. */
export function createIdentities(settings: ClientAuthSettings, records: Records, endpoint: URL): Identities {
  const { clients, clientMetadataUrl, ports } = settings;
  const send = createEndpointFetch(endpoint.href, settings);
  const isUsable = ({ secretExpiresAt }: Registration) =>
    secretExpiresAt === undefined || secretExpiresAt > ports.now();

  const findFixed = (server: ServerMetadata): ClientIdentity | undefined => {
    const client = clients.find(({ issuer }) => issuer === server.issuer);
    if (client !== undefined)
      return { clientId: client.clientId, authentication: authenticateClient(client, server) };
    const isDocument = clientMetadataUrl !== undefined && server.acceptsDocuments;
    return isDocument ? { clientId: clientMetadataUrl, authentication: oauth.None() } : undefined;
  };

  const register = async ({ server, redirectUri, signal }: IdentityRequest): Promise<Registration> => {
    const { registrationEndpoint } = server;
    if (registrationEndpoint === undefined) throw unknownClient(server, settings);
    const { clientMetadata, refreshTokens: wantsRefresh } = settings;
    const registration = await registerClient({
      server: { ...server, registrationEndpoint },
      clientMetadata,
      redirectUri,
      wantsRefresh,
      send,
      signal,
    });
    authenticateRegistration(registration); // throws if the method cannot be used
    await records.writeRegistration(registration);
    return registration;
  };

  return {
    findFixed,
    async findRegistration(server) {
      if (findFixed(server) !== undefined) return undefined;
      const stored = await records.readRegistration(server.issuer);
      return stored !== undefined && isUsable(stored) ? stored : undefined;
    },
    async obtain(request) {
      const fixed = findFixed(request.server);
      if (fixed !== undefined) return fixed;
      const { stored, redirectUri } = request;
      return fromRegistration(stored?.redirectUri === redirectUri ? stored : await register(request));
    },
    ofToken({ clientId, registration }, server) {
      if (registration !== undefined)
        return registration.issuer === server.issuer && isUsable(registration)
          ? fromRegistration(registration)
          : undefined;
      const fixed = findFixed(server);
      return fixed?.clientId === clientId ? fixed : undefined;
    },
  };
}

function fromRegistration(registration: Registration): ClientIdentity {
  const { clientId } = registration;
  return { clientId, authentication: authenticateRegistration(registration), registration };
}

/** Creates the error for a server at which the client has no ID. */
export function unknownClient(
  { issuer, acceptsDocuments }: ServerMetadata,
  { clients }: ClientAuthSettings,
): ClientAuthError {
  const others = clients.map((client) => showUrl(client.issuer)).join(", ");
  const known = others === "" ? "" : ` \`clients\` contains only clients of ${others}.`;
  const document = acceptsDocuments ? ", or set `clientMetadataUrl`" : "";
  return new ClientAuthError(
    "client_unknown",
    `The client has no ID at the authorization server ${showUrl(issuer)}, which does not support dynamic ` +
      `registration.${known} Register the client there, and add it to \`clients\`${document}.`,
  );
}
