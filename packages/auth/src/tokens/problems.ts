/**
 * @fileoverview What can be wrong with a token, and the words for it. They are all ours: nothing of the token is said.
 * @module auth/problems
 */

/** Every reason to refuse a token, with what its bearer is told. */
export const TOKEN_PROBLEMS = {
  malformed: "The access token is malformed",
  algorithm: "The access token is signed with an algorithm that is not accepted",
  type: "The token is not an access token",
  critical: "The access token has extensions that are not understood",
  key: "The access token is signed with an unknown key",
  signature: "The signature of the access token is wrong",
  claims: "The claims of the access token are malformed",
  issuer: "The access token is from another issuer",
  audience: "The access token is not for this resource",
  expired: "The access token has expired",
  early: "The access token is not valid yet",
  bound: "The access token is bound to a key, and is no bearer token",
  client: "The access token names no client",
  scopes: "The access token has no scopes, or malformed ones",
} as const;

/** A reason to refuse a token. */
export type TokenProblem = keyof typeof TOKEN_PROBLEMS;
