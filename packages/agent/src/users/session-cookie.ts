/**
 * @fileoverview Builds the `Set-Cookie` header for a page's token.
 * @module agent/users/session-cookie
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { readHostName } from "@tenon/internal/security/origin";
import { showValue } from "../shared/show-value.js";
import { isCookieName } from "./credentials.js";

/** Options for `toSessionCookie`. */
export interface SessionCookieOptions {
  /** Name of the cookie: the `cookie` option of `users`. */
  readonly name: string;
  /** Lifetime in seconds. It should end with the token. 0 deletes the cookie. */
  readonly maxAge: number;
  /**
   * Path below which browsers send the cookie.
   * @default "/"
   */
  readonly path?: string;
  /**
   * `Host` header of the request. On this machine (a loopback host), browsers may send the cookie without TLS.
   * @default the cookie requires TLS
   */
  readonly host?: string | undefined;
}

/**
 * Builds a `Set-Cookie` value that contains a token. Scripts cannot read the cookie, and browsers do not send it with
 * requests from other sites.
 *
 * @throws if the token or an option contains characters that are not allowed in cookies
 */
export function toSessionCookie(token: string, options: SessionCookieOptions): string {
  const { name, maxAge, path = "/", host } = options;
  if (!isCookieName(name))
    throw new Error(`\`name\` must be a cookie name of 1 to 100 characters; got ${showValue(name)}.`);
  if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}$/.test(token) || (token === "" && maxAge !== 0))
    throw new Error("The token must be 1 to 4000 characters that are allowed in cookies.");
  if (!Number.isSafeInteger(maxAge) || maxAge < 0)
    throw new Error(`\`maxAge\` must be a non-negative integer (seconds); got ${showValue(maxAge)}.`);
  if (!/^\/[\x21-\x3a\x3c-\x7e]{0,1000}$/.test(path))
    throw new Error(
      `\`path\` must start with "/" and not contain spaces or semicolons; got ${showValue(path)}.`,
    );
  const hostName = host === undefined ? undefined : readHostName(host);
  const isLocal = hostName !== undefined && isLoopbackHost(hostName);
  // Browsers reject cookies with these prefixes if they are not `Secure`.
  const secure = isLocal && !/^__(?:Host|Secure)-/i.test(name) ? "" : "; Secure";
  return `${name}=${token}; Path=${path}; Max-Age=${maxAge}; HttpOnly${secure}; SameSite=Strict`;
}
