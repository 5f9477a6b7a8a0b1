/**
 * @fileoverview Reads the account that a single call selects.
 * @module oauth/account-id
 */
import { isJsonObject } from "@tenon/internal/json";
import { McpError } from "tenon/protocol";

/** The second argument of a handler: the `extra` of a module or of the official SDK, or a `Call`. */
export type RequestMeta = { readonly _meta?: unknown } | { readonly meta?: unknown };

/**
 * Reads `_meta.accountId`, with which a client selects an account for one call. `undefined` means the active one.
 *
 * @example const token = await loopback.getAccessToken(accountIdOf(extra));
 * @throws INVALID_INPUT if it is not a non-empty string
 */
export function accountIdOf(extra: RequestMeta): string | undefined {
  const given = extra as { readonly _meta?: unknown; readonly meta?: unknown };
  const meta = given._meta ?? given.meta;
  const accountId = isJsonObject(meta) ? meta["accountId"] : undefined;
  if (accountId === undefined) return undefined;
  if (typeof accountId !== "string" || accountId === "" || accountId.length > MAX_LENGTH) {
    throw new McpError("INVALID_INPUT", "`_meta.accountId` must be the id of a linked account.");
  }
  return accountId;
}

/** Maximum length of an email address. */
const MAX_LENGTH = 320;
