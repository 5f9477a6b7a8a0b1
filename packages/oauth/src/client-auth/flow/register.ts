/**
 * @fileoverview Dynamic client registration (RFC 7591).
 * @module oauth/client-auth/flow/register
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import { BLOCKED_DESTINATION } from "@tenon/internal/outgoing/guarded-fetch";
import { codeOf } from "@tenon/internal/thrown";
import type { ServerMetadata } from "../discovery/server-metadata.js";
import { untilAborted } from "../abort.js";
import { ClientAuthError, showUrl, toAuthError } from "../errors.js";
import type { ClientMetadata } from "../options.js";
import type { Registration } from "../records.js";
import { type AuthMethod, chooseMethod } from "./client-authentication.js";

/** Values for one registration. */
export interface RegistrationRequest {
  readonly server: ServerMetadata & { readonly registrationEndpoint: string };
  readonly clientMetadata: ClientMetadata;
  readonly redirectUri: string;
  readonly wantsRefresh: boolean;
  readonly send: Fetch;
  readonly signal: AbortSignal;
}

/** Maximum length of an ID or a secret in characters. */
const MAX_LENGTH = 4_096;

/** Registers the client. @throws {ClientAuthError} if the server rejects the registration */
export async function registerClient(request: RegistrationRequest): Promise<Registration> {
  const { server, send, signal } = request;
  const method = chooseMethod(server);
  const init = {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(describeClient(request, method)),
  };
  const response = await untilAborted(signal, send(server.registrationEndpoint, init)).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      const isBlocked = codeOf(error) === BLOCKED_DESTINATION;
      throw toAuthError(isBlocked ? "blocked_address" : "unreachable", server.issuer);
    },
  );
  const body = readJson(await response.text());
  const { status } = response;
  if (status !== 201 && status !== 200) throw failure(server.issuer, reasonOf(body, status));
  return toRegistration(body, request, method);
}

/** Returns the metadata of the client. The kind of application determines which redirect URIs a server accepts. */
function describeClient(request: RegistrationRequest, method: AuthMethod): object {
  const { clientMetadata, redirectUri, wantsRefresh } = request;
  return {
    ...clientMetadata,
    redirect_uris: [redirectUri],
    application_type: new URL(redirectUri).protocol === "https:" ? "web" : "native",
    grant_types: wantsRefresh ? ["authorization_code", "refresh_token"] : ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
  };
}

function toRegistration(body: unknown, request: RegistrationRequest, asked: AuthMethod): Registration {
  const { server, redirectUri } = request;
  const {
    client_id: clientId,
    client_secret: secret,
    client_secret_expires_at: expiresAt,
    token_endpoint_auth_method: method = asked,
  } = isJsonObject(body) ? body : {};
  if (!isText(clientId) || typeof method !== "string")
    throw failure(server.issuer, "the response is not valid");
  return {
    issuer: server.issuer,
    clientId,
    ...(isText(secret) ? { clientSecret: secret } : {}),
    ...(typeof expiresAt === "number" && expiresAt > 0 ? { secretExpiresAt: expiresAt * 1_000 } : {}),
    method,
    redirectUri,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_LENGTH;
}

/** Error codes of RFC 7591, which are safe to repeat. */
const KNOWN: ReadonlySet<unknown> = new Set([
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "invalid_software_statement",
  "unapproved_software_statement",
]);

function reasonOf(body: unknown, status: number): string {
  const code = isJsonObject(body) ? body["error"] : undefined;
  return typeof code === "string" && KNOWN.has(code) ? code : `HTTP ${status}`;
}

function failure(issuer: string, reason: string): ClientAuthError {
  return new ClientAuthError(
    "registration_failed",
    `Could not register the client with ${showUrl(issuer)}: ${reason}. ` +
      "If the server requires registration in advance, pass the client ID in `clients`.",
  );
}
