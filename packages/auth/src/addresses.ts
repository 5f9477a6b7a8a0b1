/**
 * @fileoverview Addresses that authorization may rest on: over TLS, or on this machine.
 * @module auth/addresses
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";

/** Whether text is an absolute address over TLS, or of this machine, with no user, query or fragment in it. */
export function isSafeAddress(text: string): boolean {
  const url = toUrl(text);
  if (url === undefined || /[?#\s]/.test(text)) return false;
  const isBare = url.username === "" && url.password === "";
  return isBare && (url.protocol === "https:" || isLoopbackHttp(text));
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
