/**
 * @fileoverview Decides which URLs of untrusted text become links.
 * @module ui/support/safe-url
 */
import { isUrl } from "@tenon/internal/security/is-url";

const SAFE_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const MAX_LENGTH = 8_192;

/**
 * Returns a URL in normalized form if it is absolute and a link to it is safe, or `undefined`. Relative URLs are rejected,
 * because they would refer to the page itself. The result contains only ASCII, so a link cannot show one host and open
 * another one.
 */
export function safeUrl(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !isUrl(text)) return undefined;
  const url = new URL(text);
  return SAFE_PROTOCOLS.has(url.protocol) ? url.href : undefined;
}
