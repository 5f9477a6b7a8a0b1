/**
 * @fileoverview Checks where a page comes from that talks to a server, and reads host names as browsers send them.
 * @module internal/security/origin
 */

/** The outcome of a check of an `Origin` header. */
export type OriginCheck =
  { readonly ok: true } | { readonly ok: false; readonly reason: "malformed" | "not-allowed" };

/**
 * Checks the `Origin` header. Requests without one pass: only browsers send it, and only they can be led here by a
 * foreign page.
 *
 * @param allowed host names, which stand for every scheme and port, and full origins, all in lower case
 */
export function checkOrigin(origin: string | null | undefined, allowed: ReadonlySet<string>): OriginCheck {
  if (origin === undefined || origin === null) return PASS;
  // An origin that is named in full may have any scheme, such as that of an editor's pages.
  if (origin.includes("://") && allowed.has(origin.toLowerCase())) return PASS;
  const [, authority] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  const name = authority === undefined ? undefined : readHostName(authority);
  if (name === undefined) return MALFORMED;
  return allowed.has(name) ? PASS : NOT_ALLOWED;
}

const PASS: OriginCheck = { ok: true };
const MALFORMED: OriginCheck = { ok: false, reason: "malformed" };
const NOT_ALLOWED: OriginCheck = { ok: false, reason: "not-allowed" };

/** Collects names to allow, without ports, in lower case; full origins stay as they are. */
export function toHostSet(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(
    hosts.map((host) => readHostName(host) ?? (host.includes("/") ? host.toLowerCase() : toAscii(host))),
  );
}

/**
 * Reads the name of a host without its port, in lower case. Nothing is repaired, as `URL` would do: text that is not a
 * plain name or address, such as one with a user, a path or escapes in it, gives `undefined`.
 */
export function readHostName(text: string): string | undefined {
  const [, name, address, port = "0"] = HOST.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  return address === undefined ? name?.toLowerCase() : toAscii(address) || undefined;
}

const HOST = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|(\[[0-9a-f:.]+\]))(?::(\d{1,5}))?$/i;

/** Converts a name or an address to the form in which browsers send it; empty if it has none. */
function toAscii(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}
