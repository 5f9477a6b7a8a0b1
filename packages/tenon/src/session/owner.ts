/**
 * @fileoverview Owners of sessions, for limits: callers that count separately.
 * @module session/owner
 */

/** Owner of all sessions whose callers cannot be told apart. They have only the limit for all sessions. */
export const UNKNOWN_OWNER = "";

/** Returns the owner of a session: its principal, or the address of a caller without a principal. */
export function ownerOf(principal: string | undefined, address: string | undefined): string {
  if (principal !== undefined) return `principal ${principal}`;
  return address === undefined ? UNKNOWN_OWNER : `address ${address}`;
}
