/**
 * @fileoverview Checks of the Host, Origin, Content-Type and Accept headers. They run before the body is read.
 * @module transport/http/access
 */
import { checkOrigin, readHostName } from "@tenon/internal/security/origin";

/** Outcome of a check: pass, or a refusal with a status and a reason. */
export type Access =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

const PASS: Access = { ok: true };

/**
 * Checks the Host header to stop DNS rebinding: a page that points its own domain to this machine still sends that
 * domain as the Host.
 */
export function checkHost(host: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const name = readHostName(host ?? "");
  if (name === undefined) return refuse(403, "The Host header is missing or malformed.");
  return allowed.has(name)
    ? PASS
    : refuse(403, "The Host header is not allowed. Add the host name to `allowedHosts`.");
}

/** Checks the Origin header. */
export function checkPage(origin: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const check = checkOrigin(origin, allowed);
  return check.ok ? PASS : REFUSED_ORIGINS[check.reason];
}

/** Requires JSON. Any page can send a form or plain text without a CORS preflight. */
export function checkContentType(contentType: string | null | undefined): Access {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase() === "application/json"
    ? PASS
    : refuse(415, "The Content-Type header must be application/json.");
}

/** Checks that the client accepts JSON or an event stream. A request without an Accept header passes. */
export function checkAccept(accept: string | null | undefined): Access {
  if (accept === undefined || accept === null || accept.trim() === "") return PASS;
  return /(?:^|[\s,])(?:application\/json|text\/event-stream|application\/\*|text\/\*|\*\/\*)(?:$|[\s,;])/i.test(
    accept,
  )
    ? PASS
    : refuse(406, "The Accept header must allow application/json and text/event-stream.");
}

function refuse(status: number, reason: string): Access {
  return { ok: false, status, reason };
}

const REFUSED_ORIGINS = {
  malformed: /* @__PURE__ */ refuse(403, "The Origin header is malformed."),
  "not-allowed": /* @__PURE__ */ refuse(
    403,
    "The Origin header is not allowed. Add the host name to `allowedOrigins`.",
  ),
} as const;
