/**
 * @fileoverview Checks the Host, Origin, Content-Type, and Accept headers before the body is read.
 * @module tenon/transport/http/access
 */
import { checkOrigin, readHostName } from "@tenon/internal/security/origin";
import { printable } from "@tenon/internal/text";

/** Outcome of a check: pass, or a rejection with a status and a reason. */
export type Access =
  { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

const PASS: Access = { ok: true };

/**
 * Checks the Host header to stop DNS rebinding: a page that points its own domain to this machine still sends that
 * domain as the Host.
 */
export function checkHost(host: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const name = readHostName(host ?? "");
  if (name === undefined) {
    return refuse(
      403,
      `The Host header must be a host name with an optional port; got ${quoteHeader(host)}.`,
    );
  }
  return allowed.has(name)
    ? PASS
    : refuse(403, `Host "${printable(name)}" is not allowed. Add it to \`allowedHosts\`.`);
}

/** Checks the Origin header, so that pages from other sites cannot call the endpoint. Requests without it pass. */
export function checkPage(origin: string | null | undefined, allowed: ReadonlySet<string>): Access {
  const check = checkOrigin(origin, allowed);
  if (check.ok) return PASS;
  // Origins with any scheme can be allowed. Other values, such as "null", cannot.
  return refuse(
    403,
    origin?.includes("://") === true
      ? `Origin ${quoteHeader(origin)} is not allowed. Add it to \`allowedOrigins\`.`
      : `The Origin header must be an origin such as "https://example.com"; got ${quoteHeader(origin)}.`,
  );
}

/**
 * Requires a JSON body, because any page can send a form or plain text without a CORS preflight. A comma shows that the
 * header was repeated.
 */
export function checkContentType(contentType: string | null | undefined): Access {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase() === "application/json" && contentType?.includes(",") === false
    ? PASS
    : refuse(415, `The Content-Type header must be application/json; got ${quoteHeader(contentType)}.`);
}

/** Checks that the client accepts JSON or an event stream. A request without an Accept header passes. */
export function checkAccept(accept: string | null | undefined): Access {
  if (accept === undefined || accept === null || accept.trim() === "") return PASS;
  return /(?:^|[\s,])(?:application\/json|text\/event-stream|application\/\*|text\/\*|\*\/\*)(?:$|[\s,;])/i.test(
    accept,
  )
    ? PASS
    : refuse(
        406,
        `The Accept header must allow application/json and text/event-stream; got ${quoteHeader(accept)}.`,
      );
}

/** Quotes a header's value for an error message. */
export function quoteHeader(value: string | null | undefined): string {
  return value === undefined || value === null || value === "" ? "none" : `"${printable(value)}"`;
}

function refuse(status: number, reason: string): Access {
  return { ok: false, status, reason };
}
