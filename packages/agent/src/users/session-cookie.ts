/**
 * @fileoverview Builds the `Set-Cookie` header for a page's token.
 * @module agent/users/session-cookie
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { readHostName } from "@tenon/internal/security/origin";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, integer, text } from "@tenon/internal/options/option-rows";
import { COOKIE_NAME_RULE } from "./credentials.js";

const COOKIE_OPTIONS = /* @__PURE__ */ defineOptions("toSessionCookie", {
  /** Name of the cookie: the `cookie` option of `users`. */
  name: custom<string>({ required: true, ...COOKIE_NAME_RULE }),
  /** Lifetime in seconds. It should end with the token. 0 deletes the cookie. */
  maxAge: integer({ required: true, min: 0, aliases: ["maxAgeSeconds", "expires"] }),
  /**
   * Path below which browsers send the cookie.
   * @default "/"
   */
  path: text({
    default: "/",
    pattern: /^\/[\x21-\x3a\x3c-\x7e]{0,1000}$/,
    expected: 'a path that starts with "/" and does not contain spaces or semicolons',
  }),
  /**
   * `Host` header of the request. On this machine (a loopback host), browsers may send the cookie without TLS.
   * @default the cookie requires TLS
   */
  host: custom<string>(),
});

/** Options for `toSessionCookie`. */
export interface SessionCookieOptions extends OptionsOf<typeof COOKIE_OPTIONS> {}

/**
 * Builds a `Set-Cookie` value that contains a token. Scripts cannot read the cookie, and browsers do not send it with
 * requests from other sites.
 *
 * @throws if the token or an option contains characters that are not allowed in cookies
 */
export function toSessionCookie(token: string, options: SessionCookieOptions): string {
  const { name, maxAge, path, host } = parseOptions(COOKIE_OPTIONS, options);
  if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}$/.test(token) || (token === "" && maxAge !== 0))
    throw new TypeError(
      "toSessionCookie: the token must be 1 to 4000 characters that are allowed in cookies.",
    );
  const hostName = host === undefined ? undefined : readHostName(host);
  const isLocal = hostName !== undefined && isLoopbackHost(hostName);
  // Browsers reject cookies with these prefixes if they are not `Secure`.
  const secure = isLocal && !/^__(?:Host|Secure)-/i.test(name) ? "" : "; Secure";
  return `${name}=${token}; Path=${path}; Max-Age=${maxAge}; HttpOnly${secure}; SameSite=Strict`;
}
