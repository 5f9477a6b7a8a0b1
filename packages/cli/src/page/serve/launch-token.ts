/**
 * @fileoverview Secret of one launch. The URL that the command prints contains it, and the page's cookie afterwards.
 * @module cli/page/serve/launch-token
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Secret with a comparison in constant time. */
export interface LaunchToken {
  readonly text: string;
  /** Returns true if a text is the secret. The time does not depend on how much of it is right. */
  matches(given: string | undefined): boolean;
}

/** Creates a secret of 256 random bits. */
export function createLaunchToken(): LaunchToken {
  const text = randomBytes(32).toString("base64url");
  const expected = digest(text);
  return {
    text,
    matches: (given) => given !== undefined && timingSafeEqual(digest(given), expected),
  };
}

/** Digests have the same length, which the comparison requires. */
function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
