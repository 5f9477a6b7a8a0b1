/**
 * @fileoverview Reasons to refuse a token, with their messages. No message contains any part of the token.
 * @module auth/problems
 */

/** Reasons to refuse a token, with the message sent to the client. */
export const TOKEN_PROBLEMS = {
  malformed: "The access token is malformed.",
  algorithm: "The access token is signed with an algorithm that is not accepted.",
  type: "The token is not an access token.",
  critical: "The access token uses header extensions that are not supported.",
  key: "The access token is signed with an unknown key.",
  signature: "The signature of the access token is invalid.",
  claims: "The claims of the access token are malformed.",
  issuer: "The access token is from another issuer.",
  audience: "The access token is not for this resource.",
  expired: "The access token has expired.",
  early: "The access token is not valid yet.",
  bound: "The access token is bound to a key and cannot be used as a bearer token.",
  client: "The access token does not identify a client.",
  scopes: "The scopes of the access token are missing or malformed.",
} as const;

/** A reason to refuse a token. */
export type TokenProblem = keyof typeof TOKEN_PROBLEMS;
