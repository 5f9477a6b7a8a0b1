/**
 * @fileoverview Reads the account that a client selects for a single call.
 * @module oauth/account-id
 */
import { isJsonObject } from "@tenon/internal/json";
import { printable } from "@tenon/internal/text";
import { McpError } from "tenon/protocol";

/** Second argument of a handler: a module's or the official SDK's `extra`, or a `Call`. */
export type RequestMeta = { readonly _meta?: unknown } | { readonly meta?: unknown };

/**
 * Reads `_meta.accountId`, which selects an account for one call. Returns `undefined` for the active account.
 *
 * @example const token = await loopback.getAccessToken(accountIdOf(extra));
 * @throws INVALID_INPUT unless it is a string of 1 to 320 characters
 */
export function accountIdOf(extra: RequestMeta): string | undefined {
  const given = extra as { readonly _meta?: unknown; readonly meta?: unknown };
  const meta = given._meta ?? given.meta;
  const accountId = isJsonObject(meta) ? meta["accountId"] : undefined;
  if (accountId === undefined) return undefined;
  if (typeof accountId !== "string" || accountId === "" || accountId.length > MAX_LENGTH) {
    const got = typeof accountId === "string" ? `${accountId.length} characters` : JSON.stringify(accountId);
    throw new McpError(
      "INVALID_INPUT",
      `\`_meta.accountId\` must be a string of 1 to ${MAX_LENGTH} characters; got ${printable(got)}.`,
    );
  }
  return accountId;
}

/** Maximum email address length (RFC 5321). */
const MAX_LENGTH = 320;
