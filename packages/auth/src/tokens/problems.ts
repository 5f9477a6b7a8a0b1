/**
 * @fileoverview Messages for rejected tokens. No message contains any part of a token.
 * @module auth/tokens/problems
 */

/** Reasons a token is rejected. Each message is sent in the response body and the `WWW-Authenticate` header. */
export const TOKEN_PROBLEMS = {
  malformed: "The access token is malformed. Send a signed JWT.",
  algorithm: "The access token uses a signing algorithm that is not allowed.",
  type: "The token is not an access token. Send an access token, not an ID token.",
  critical: "The access token uses header extensions that are not supported.",
  key: "The access token is signed with an unknown key.",
  signature: "The access token's signature is invalid.",
  claims: "The access token has missing or malformed claims.",
  exp: "The access token's `exp` claim (expiry time in seconds) is missing or malformed.",
  nbf: "The access token's `nbf` claim must be a time in seconds.",
  iat: "The access token's `iat` claim (issue time in seconds) is missing or malformed.",
  iss: "The access token's `iss` claim is malformed.",
  sub: "The access token's `sub` claim is malformed.",
  issuer: "The access token was issued by a different issuer, or its `iss` claim is missing.",
  audience: "The access token was issued for a different resource, or its `aud` claim is missing.",
  expired: "The access token has expired. Request a new one.",
  revoked: "The access token has been revoked. Request a new one.",
  early: "The access token is not valid yet. Check the clocks of the issuer and this server.",
  bound: "The access token is bound to a key and cannot be used as a bearer token.",
  client: "The access token must identify one client in `client_id`, `azp`, or `cid`.",
  scopes: "The access token has missing or malformed scopes. It must have a `scope` or `scp` claim.",
} as const;

/** Reason a token was rejected. */
export type TokenProblem = keyof typeof TOKEN_PROBLEMS;
