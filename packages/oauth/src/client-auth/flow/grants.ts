/**
 * @fileoverview Requests to the token and revocation endpoints of an authorization server.
 * @module oauth/client-auth/flow/grants
 */
import * as oauth from "oauth4webapi";
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import { Refusal, type TokenOutcome, type TokenResponse, toTokenOutcome } from "../../login/token-outcome.js";
import {
  type Callback,
  exchangeCode,
  type RefreshableToken,
  refreshToken,
  type TokenClient,
} from "../../login/token-requests.js";
import { createEndpointFetch, withoutIdTokens } from "../../providers/provider-fetch.js";
import type { ServerMetadata } from "../discovery/server-metadata.js";
import type { ClientAuthSettings } from "../settings.js";
import type { ClientIdentity } from "./identity.js";

/** Parties of a token request. */
export interface GrantParties {
  readonly endpoint: URL;
  readonly server: ServerMetadata;
  readonly client: ClientIdentity;
  /** Value of the `resource` parameter. */
  readonly resource: string;
}

/** Token requests for one client and one resource. They never throw. */
export interface Grants {
  /** Exchanges the code in a callback. */
  exchange(callback: Callback): Promise<TokenOutcome>;
  refresh(token: RefreshableToken): Promise<TokenOutcome>;
  /** Obtains a token for the client itself. */
  requestOwn(scopes: readonly string[]): Promise<TokenOutcome>;
  /** Revokes a token (RFC 7009). Resolves to false if it could not be revoked. */
  revoke(token: string): Promise<boolean>;
}

/** Creates the token requests. */
export function createGrants(settings: ClientAuthSettings, parties: GrantParties): Grants {
  const { ports } = settings;
  const { endpoint, resource } = parties;
  const send = createEndpointFetch(endpoint.href, settings);
  const tokenClient = toTokenClient(parties, withoutChallenges(withoutIdTokens(send)));
  const { server, client, authentication, options } = tokenClient;
  const run = (request: () => Promise<TokenResponse>) =>
    toTokenOutcome(async () => onlyBearer(await request()), ports.now);
  return {
    exchange: (callback) => run(() => exchangeCode(tokenClient, callback)),
    refresh: (token) => run(() => refreshToken(tokenClient, token)),
    requestOwn: (scopes) =>
      run(async () => {
        const parameters = { resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }) };
        const response = await oauth.clientCredentialsGrantRequest(
          server,
          client,
          authentication,
          parameters,
          options,
        );
        return oauth.processClientCredentialsResponse(server, client, response);
      }),
    async revoke(token) {
      if (server.revocation_endpoint === undefined) return false;
      try {
        const response = await oauth.revocationRequest(server, client, authentication, token, {
          ...options,
          additionalParameters: {},
        });
        await oauth.processRevocationResponse(response);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function toTokenClient({ server, client, resource }: GrantParties, send: Fetch): TokenClient {
  const { issuer, tokenEndpoint, revocationEndpoint, sendsIssuer } = server;
  return {
    server: {
      issuer,
      token_endpoint: tokenEndpoint,
      authorization_response_iss_parameter_supported: sendsIssuer,
      ...(revocationEndpoint === undefined ? {} : { revocation_endpoint: revocationEndpoint }),
    },
    client: { client_id: client.clientId },
    authentication: client.authentication,
    options: {
      [oauth.customFetch]: send,
      // Endpoints were checked with the metadata, so an http endpoint is always on a loopback address.
      [oauth.allowInsecureRequests]: isLoopbackHttp(tokenEndpoint),
      additionalParameters: { resource },
    },
  };
}

/** Removes the header with which oauth4webapi would replace the error code in the body, such as `invalid_client`. */
function withoutChallenges(send: Fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    const headers = new Headers(response.headers);
    headers.delete("www-authenticate");
    const text = await response.text();
    return new Response(text === "" ? null : text, { status: response.status, headers });
  };
}

/** Rejects tokens that must not be sent as bearer tokens. */
function onlyBearer(response: TokenResponse): TokenResponse {
  if (response.token_type !== "bearer") throw new Refusal("wrong_token_type");
  return response;
}
