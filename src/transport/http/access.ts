/**
 * @fileoverview Who may talk to an endpoint at all: checks of Host, Origin and content type, before anything is read.
 * @module transport/http/access
 */

/** Whether a request may pass, or the status and the reason it is refused with. */
export type Access =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

const PASS: Access = { ok: true };

/**
 * Checks the Host header: a page of another site that got this machine's address under its own name (DNS rebinding)
 * still sends that name.
 */
export function checkHost(host: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const name = hostname(host ?? "");
  if (name === undefined) return refuse(403, "Host header is missing or malformed");
  return allowed.has(name) ? PASS : refuse(403, "Host is not allowed; see allowedHosts");
}

/** Checks the Origin header. Only browsers send one, and only they can be led here by a foreign page. */
export function checkOrigin(origin: string | null | undefined, allowed: ReadonlySet<string>): Access {
  if (origin === undefined || origin === null) return PASS;
  const isNamed = origin.includes("://") && allowed.has(origin);
  if (isNamed) return PASS;
  const [, authority] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  const name = authority === undefined ? undefined : hostname(authority);
  if (name === undefined) return refuse(403, "Origin header is malformed");
  return allowed.has(name) ? PASS : refuse(403, "Origin is not allowed; see allowedOrigins");
}

/** Only JSON is read: a form or plain text could come from any page without the browser asking first. */
export function checkContentType(contentType: string | null | undefined): Access {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase() === "application/json"
    ? PASS
    : refuse(415, "Content-Type must be application/json");
}

/** A client must take one of the two forms that a reply may have; one that says nothing takes both. */
export function checkAccept(accept: string | null | undefined): Access {
  if (accept === undefined || accept === null || accept.trim() === "") return PASS;
  return /(?:^|[\s,])(?:application\/json|text\/event-stream|application\/\*|text\/\*|\*\/\*)(?:$|[\s,;])/i.test(
    accept,
  )
    ? PASS
    : refuse(406, "Accept must allow application/json and text/event-stream");
}

/** The names to allow, without ports, in lower case. */
export function hostSet(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(
    hosts.map((host) => hostname(host) ?? (host.includes("/") ? host.toLowerCase() : toAscii(host))),
  );
}

/**
 * The host's name without its port, in lower case. Nothing is repaired on the way, as `URL` would: what is no plain
 * name or address, such as one with a user, a path or escapes in it, is no host.
 */
function hostname(text: string): string | undefined {
  const [, name, address, port = "0"] = HOST.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  return address === undefined ? name?.toLowerCase() : toAscii(address) || undefined;
}

const HOST = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|(\[[0-9a-f:.]+\]))(?::(\d{1,5}))?$/i;

/** The form in which browsers send a name or an address; empty where it has none. */
function toAscii(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}

function refuse(status: number, reason: string): Access {
  return { ok: false, status, reason };
}
