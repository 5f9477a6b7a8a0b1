/**
 * @fileoverview Access tokens for MCP clients: from the store while they are valid, through a refresh, or through a
 * sign-in after the server has asked for it.
 * @module oauth/client-auth/create-client-auth
 */
import type { ClientAuthorization } from "tenon/client";
import { createSharedTasks } from "./abort.js";
import { readBearerChallenge } from "./discovery/bearer-challenge.js";
import { createEndpointStates, endpointId } from "./endpoint-state.js";
import { createExclusive } from "./exclusive.js";
import type { ClientAuthOptions } from "./options.js";
import { createRecords } from "./records.js";
import { renewToken } from "./renewal.js";
import { toSettings } from "./settings.js";
import { revokeToken } from "./sign-out.js";
import { createTokenReader } from "./token-reader.js";

/** Access tokens for MCP clients. Pass it to a client as `authorization`. */
export interface OAuthClientAuth extends ClientAuthorization {
  /**
   * Deletes the stored token for an MCP endpoint and the client's registration with its authorization server. Revokes
   * the token if the server supports it. The next request asks the user to sign in again.
   */
  signOut(url: URL | string): Promise<void>;
}

/**
 * Creates the authorization for MCP clients. Sends no request and opens no port until a server rejects a request.
 *
 * @example const client = await createClient("https://example.com/mcp", { authorization: createClientAuth() });
 * @throws {TypeError} if an option is not valid
 */
export function createClientAuth(options: ClientAuthOptions = {}): OAuthClientAuth {
  const settings = toSettings(options);
  const records = createRecords(settings.store);
  const stateOf = createEndpointStates();
  const exclusively = createExclusive(settings.store);
  const share = createSharedTasks();
  const readToken = createTokenReader({ settings, records, stateOf, exclusively });

  return {
    token: ({ url }) => readToken(endpointId(url)),
    async renew({ url, status, header, token, signal }) {
      const bearer = readBearerChallenge(header);
      const isRenewable = status === 401 || (status === 403 && bearer.error === "insufficient_scope");
      if (!isRenewable) return false;
      const id = endpointId(url);
      const renew = (shared: AbortSignal) => {
        const parts = { settings, records, state: stateOf(id), signal: shared };
        return exclusively(id, shared, () => renewToken(id, { status, bearer, token }, parts));
      };
      // Requests that were rejected for the same reason share one renewal, and its failure.
      const record = await share(JSON.stringify([id, status, bearer, token]), renew, signal);
      Object.assign(stateOf(id), { token: record, isRead: true });
      return true;
    },
    async signOut(url) {
      const id = endpointId(new URL(url));
      const { signal } = new AbortController();
      await exclusively(id, signal, () => revokeToken(id, { settings, records, signal }));
      stateOf(id).token = undefined;
    },
  };
}
