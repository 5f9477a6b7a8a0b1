/**
 * @fileoverview Finds the token in the headers of a request.
 * @module agent/users/credentials
 */

/** Token in the headers of a request. `invalid` means that there is one that cannot be read. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "invalid" }
  | { readonly kind: "token"; readonly token: string; readonly from: "header" | "cookie" };

/** Headers that can contain a token, and the name of the cookie that is accepted. */
export interface CredentialSource {
  /** `Authorization` headers, joined with commas. */
  readonly authorization: string | undefined;
  /** `Cookie` header. */
  readonly cookies: string | undefined;
  /** Name of the cookie. `undefined` if cookies are not accepted. */
  readonly cookieName: string | undefined;
}

/**
 * Finds the token. A bearer token in the `Authorization` header has priority: the cookie is then ignored, even if the
 * token in the header is not valid. Other schemes are ignored, because they are meant for a proxy.
 */
export function findCredentials({ authorization, cookies, cookieName }: CredentialSource): Credentials {
  if (authorization !== undefined && /^bearer(?: |$)/i.test(authorization)) {
    const token = readBearer(authorization);
    return token === undefined ? INVALID : { kind: "token", token, from: "header" };
  }
  const [value, ...others] = cookieName === undefined ? [] : readCookies(cookies, cookieName);
  if (value === undefined) return NONE;
  // A page on a sibling domain can add a cookie of the same name, so the order of two cookies means nothing.
  if (others.length > 0 || !TOKEN.test(value)) return INVALID;
  return { kind: "token", token: value, from: "cookie" };
}

/** Returns the token of an `Authorization` header, or `undefined` if the header is malformed. */
export function readBearer(authorization: string): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
}

/** Requirement for cookie names (RFC 6265). */
export const COOKIE_NAME_RULE = {
  expected: 'a cookie name of 1 to 100 characters, such as "__Host-agent"',
  accepts: (value: unknown) => typeof value === "string" && /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(value),
};

const NONE: Credentials = { kind: "none" };
const INVALID: Credentials = { kind: "invalid" };

const TOKEN = /^[\x21-\x7e]+$/;

/** Returns the values of all cookies with a name. */
function readCookies(header: string | undefined, name: string): readonly string[] {
  return (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (at === -1 || pair.slice(0, at).trim() !== name) return [];
    const value = pair.slice(at + 1).trim();
    return [value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value];
  });
}
