/**
 * @fileoverview Loopback host names and addresses. Tokens may be sent to them without TLS, and servers may listen on
 * them without an allow list, so every package uses the same rule.
 * @module internal/security/loopback
 */
import { isUrl } from "./is-url.js";

/** Loopback host names, as they appear in a `Host` header. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Each part of an IPv4 address is 0 to 255 without leading zeros. Resolvers would look up other forms in DNS. */
const LOOPBACK = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|::1|\[::1\])$/i;

/**
 * Returns true if a host is this machine: `localhost`, a full IPv4 address in 127.0.0.0/8, or `::1` with or without
 * brackets. Other spellings, such as `127.1`, `localhost.`, or `app.localhost`, are rejected.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Returns true if an address is a plain HTTP URL on this machine, without a user name or password. Never throws. */
export function isLoopbackHttp(address: string): boolean {
  if (!isUrl(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return protocol === "http:" && username === "" && password === "" && isLoopbackHost(hostname);
}

/** Formats a host for use in a URL. Puts IPv6 addresses in brackets. */
export function toHostName(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
