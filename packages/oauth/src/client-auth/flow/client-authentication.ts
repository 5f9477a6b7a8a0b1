/**
 * @fileoverview Authentication of the client at the token endpoint.
 * @module oauth/client-auth/flow/client-authentication
 */
import * as oauth from "oauth4webapi";
import { toBase64 } from "@tenon/internal/base64";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { ServerMetadata } from "../discovery/server-metadata.js";
import { ClientAuthError, showUrl } from "../errors.js";
import type { RegisteredClient } from "../options.js";
import type { Registration } from "../records.js";

/** Methods for clients that register themselves. Native applications cannot keep a secret, so `none` comes first. */
const METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;

/** Method that a client without a private key can use. */
export type AuthMethod = (typeof METHODS)[number];

/** Method of a server that does not list any (RFC 8414). */
const DEFAULT_METHOD = "client_secret_basic";

/** Chooses the method to register for. @throws if the server supports none of them */
export function chooseMethod({ authMethods, issuer }: ServerMetadata): AuthMethod {
  const supported = authMethods ?? [DEFAULT_METHOD];
  const method = METHODS.find((one) => supported.includes(one));
  if (method === undefined) throw unsupported(issuer);
  return method;
}

/** Creates the authentication of a client that registered itself. @throws if its method cannot be used */
export function authenticateRegistration(registration: Registration): oauth.ClientAuth {
  const { method, clientSecret, issuer } = registration;
  if (method === "none") return oauth.None();
  if (clientSecret === undefined) throw unsupported(issuer);
  if (method === "client_secret_basic") return basic(clientSecret);
  if (method === "client_secret_post") return oauth.ClientSecretPost(clientSecret);
  throw unsupported(issuer);
}

/** Creates the authentication of a client that was registered in advance. @throws if its method cannot be used */
export function authenticateClient(client: RegisteredClient, server: ServerMetadata): oauth.ClientAuth {
  const { clientSecret, privateKey } = client;
  if (privateKey !== undefined) return oauth.PrivateKeyJwt(privateKey);
  if (clientSecret === undefined) return oauth.None();
  const supported = server.authMethods ?? [DEFAULT_METHOD];
  if (supported.includes("client_secret_basic")) return basic(clientSecret);
  if (supported.includes("client_secret_post")) return oauth.ClientSecretPost(clientSecret);
  throw unsupported(server.issuer);
}

/**
 * Sends the ID and the secret in the `Authorization` header (RFC 6749, section 2.3.1). Encodes only the characters that
 * the encoding of forms requires: some servers compare the values without decoding them.
 */
function basic(secret: string): oauth.ClientAuth {
  return (...[, { client_id: id }, , headers]) => {
    const credentials = `${encodeForm(id)}:${encodeForm(secret)}`;
    headers.set("authorization", `Basic ${toBase64(encodeUtf8(credentials))}`);
  };
}

function encodeForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function unsupported(issuer: string): ClientAuthError {
  return new ClientAuthError(
    "client_unknown",
    `The authorization server ${showUrl(issuer)} does not support an authentication method that this client can use.`,
  );
}
