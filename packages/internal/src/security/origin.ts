/**
 * @fileoverview Checks the origin of a page that calls a server, and parses host names as browsers send them.
 * @module internal/security/origin
 */
import { isUrl } from "./is-url.js";

/** Outcome of checking an `Origin` header. */
export type OriginCheck =
  { readonly ok: true } | { readonly ok: false; readonly reason: "malformed" | "not-allowed" };

/**
 * Checks the `Origin` header. Requests without one pass: only browsers send it, and only browsers can be misused by a
 * page from a different site.
 *
 * @param allowed host names, which match every scheme and port, and full origins, all in lower case
 */
export function checkOrigin(origin: string | null | undefined, allowed: ReadonlySet<string>): OriginCheck {
  if (origin === undefined || origin === null) return PASS;
  // A full origin may have any scheme, such as the scheme of an editor's web views.
  if (origin.includes("://") && allowed.has(origin.toLowerCase())) return PASS;
  const [, authority] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  const name = authority === undefined ? undefined : readHostName(authority);
  if (name === undefined) return MALFORMED;
  return allowed.has(name) ? PASS : NOT_ALLOWED;
}

const PASS: OriginCheck = { ok: true };
const MALFORMED: OriginCheck = { ok: false, reason: "malformed" };
const NOT_ALLOWED: OriginCheck = { ok: false, reason: "not-allowed" };

/** Collects allowed host names without ports, in lower case. Full origins keep their scheme and port. */
export function toHostSet(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(
    hosts.map((host) => readHostName(host) ?? (host.includes("/") ? host.toLowerCase() : toAscii(host))),
  );
}

/**
 * Returns a host name in lower case, without its port. Unlike `URL`, it does not repair its input. It returns
 * `undefined` for text that is not a plain name or address, such as text with a user name, a path, or escapes.
 */
export function readHostName(text: string): string | undefined {
  const [, name, address, port = "0"] = HOST.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  return address === undefined ? name?.toLowerCase() : toAscii(address) || undefined;
}

const HOST = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|(\[[0-9a-f:.]+\]))(?::(\d{1,5}))?$/i;

/** Converts a name or address to the form that browsers send. Returns an empty string if it is invalid. */
function toAscii(host: string): string {
  return isUrl(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}
