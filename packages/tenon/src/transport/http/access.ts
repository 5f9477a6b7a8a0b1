/**
 * @fileoverview Checks of Host, Origin, Content-Type and Accept, before anything of a request is read.
 * @module transport/http/access
 */
import { checkOrigin, readHostName } from "@tenon/internal/security/origin";

/** The outcome of a check: the request may pass, or is refused with a status and a reason. */
export type Access =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

const PASS: Access = { ok: true };

/**
 * Checks the Host header: a page of another site that got this machine's address under its own name (DNS rebinding)
 * still sends that name.
 */
export function checkHost(host: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const name = readHostName(host ?? "");
  if (name === undefined) return refuse(403, "Host header is missing or malformed");
  return allowed.has(name) ? PASS : refuse(403, "Host is not allowed; see allowedHosts");
}

/** Turns the check of an Origin header into the refusal of a request. */
export function checkPage(origin: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const check = checkOrigin(origin, allowed);
  return check.ok ? PASS : REFUSED_ORIGINS[check.reason];
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

function refuse(status: number, reason: string): Access {
  return { ok: false, status, reason };
}

const REFUSED_ORIGINS = {
  malformed: /* @__PURE__ */ refuse(403, "Origin header is malformed"),
  "not-allowed": /* @__PURE__ */ refuse(403, "Origin is not allowed; see allowedOrigins"),
} as const;
