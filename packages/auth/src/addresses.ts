/**
 * @fileoverview Checks URLs that authorization relies on: https, or http on a loopback address.
 * @module auth/addresses
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";

/** Checks that text is an absolute https (or loopback http) URL without user info, query or fragment. */
export function isSafeAddress(text: string): boolean {
  const url = toUrl(text);
  if (url === undefined || /[?#\s]/.test(text)) return false;
  const isBare = url.username === "" && url.password === "";
  return isBare && (url.protocol === "https:" || isLoopbackHttp(text));
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
