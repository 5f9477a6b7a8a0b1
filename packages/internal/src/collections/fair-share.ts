/**
 * @fileoverview Fair shares of a limit that several owners have together. Nothing is taken from an owner. Instead, an
 * owner gets more only while enough is free for the others.
 * @module internal/collections/fair-share
 */

/**
 * Owner of everything that belongs to callers without authentication. They cannot be told apart and are often the only
 * ones, so their share is larger.
 */
export const ANONYMOUS = "anonymous";

/**
 * Returns the owner of a session or record: its principal, or the address of a caller without a principal. Callers that
 * cannot be told apart count together, as `ANONYMOUS`.
 */
export function ownerOf(principal: string | null | undefined, address?: string): string {
  if (typeof principal === "string") return `principal ${principal}`;
  return address === undefined ? ANONYMOUS : `address ${address}`;
}

/** Amount that an owner asks for, and what is used of the limit. All amounts have the same unit. */
export interface ShareRequest {
  readonly owner: string;
  /** Amount that the owner has. */
  readonly own: number;
  /** Amount that it asks for. */
  readonly more: number;
  /** Amount that all owners have. */
  readonly total: number;
  readonly limit: number;
}

/**
 * Returns true if an owner may get more: afterwards, three times of what it had must be free. It can therefore get about
 * a quarter of what the others do not use. Ten owners that take all they can get leave a twentieth of the limit to the
 * next one. `ANONYMOUS` can get about three quarters. An owner that has nothing gets whatever is free.
 */
export function hasShare({ owner, own, more, total, limit }: ShareRequest): boolean {
  return limit - total - more >= Math.floor(own * freeFactorOf(owner));
}

/** Returns the amount that must stay free for each unit that an owner has. */
export function freeFactorOf(owner: string): number {
  return owner === ANONYMOUS ? 1 / 3 : 3;
}
