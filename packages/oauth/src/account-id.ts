/**
 * @fileoverview The account that one call names for itself.
 * @module oauth/account-id
 */
import { isJsonObject } from "@tenon/internal/json";
import { McpError } from "tenon/protocol";

/** What a handler got besides its arguments: the extra of a module or of the official SDK, or a `Call`. */
export type RequestMeta = { readonly _meta?: unknown } | { readonly meta?: unknown };

/**
 * Reads `_meta.accountId`, by which a client chooses an account for one call; `undefined` means the active one.
 *
 * @example const token = await loopback.getAccessToken(accountIdOf(extra));
 * @throws INVALID_INPUT where it is not text
 */
export function accountIdOf(extra: RequestMeta): string | undefined {
  const given = extra as { readonly _meta?: unknown; readonly meta?: unknown };
  const meta = given._meta ?? given.meta;
  const accountId = isJsonObject(meta) ? meta["accountId"] : undefined;
  if (accountId === undefined) return undefined;
  if (typeof accountId !== "string" || accountId === "" || accountId.length > MAX_LENGTH) {
    throw new McpError("INVALID_INPUT", "_meta.accountId must be the id of a linked account");
  }
  return accountId;
}

/** No email is longer. */
const MAX_LENGTH = 320;
