/**
 * @fileoverview Decides if a request may use the page. Only browsers on this machine that have opened the URL of this
 * launch may, and only from the page itself.
 * @module cli/page/serve/access
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { LaunchToken } from "./launch-token.js";

/** Path of the page. Everything below it belongs to the page too. */
export const PAGE_PATH = "/_dev";

/** The parts of a request that decide. */
export interface PageRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly remoteAddress: string | undefined;
  /** Port that the request has arrived on. */
  readonly localPort: number | undefined;
  /** Returns a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** Decision about a request. */
export type Access =
  | { readonly kind: "allowed"; readonly path: string }
  /** The URL contains the token. The response sets the cookie. */
  | { readonly kind: "sign-in"; readonly cookie: string }
  | { readonly kind: "rejected"; readonly status: 403 | 405 | 415; readonly reason: string };

/** Returns true if a URL belongs to the page. */
export function isPageUrl(url: string): boolean {
  const path = pathOf(url);
  return path === PAGE_PATH || path.startsWith(`${PAGE_PATH}/`);
}

/** Decides about a request. */
export function checkAccess(request: PageRequest, token: LaunchToken): Access {
  const { method, url, remoteAddress = "", localPort = 0, header } = request;
  if (!isLoopbackAddress(remoteAddress)) return forbidden("The page is available only on this machine.");
  const host = header("host") ?? "";
  if (!isOwnHost(host, localPort))
    return forbidden(
      `The URL must start with http://localhost:${localPort} or http://127.0.0.1:${localPort}. ` +
        "Open the URL that the command prints. A forwarded port must have the same number.",
    );
  if (method !== "GET" && method !== "HEAD" && method !== "POST")
    return { kind: "rejected", status: 405, reason: "The method must be GET, HEAD, or POST." };
  const path = pathOf(url);
  const given = path === PAGE_PATH && method === "GET" ? readToken(url) : undefined;
  if (given !== undefined)
    return token.matches(given)
      ? { kind: "sign-in", cookie: toCookie(localPort, token.text) }
      : forbidden(NO_TOKEN);
  const cookies = readCookies(header("cookie"), cookieName(localPort));
  if (!cookies.some((value) => token.matches(value))) return forbidden(NO_TOKEN);
  return checkOrigin(request, host) ?? { kind: "allowed", path };
}

const NO_TOKEN =
  "Open the URL that the command prints when it starts. It contains a token, which is different after each start.";

function forbidden(reason: string): Access {
  return { kind: "rejected", status: 403, reason };
}

/**
 * Rejects requests of other pages. Cookies do not depend on the port, so a page on a different port of this machine could
 * send requests with the page's cookie.
 */
function checkOrigin({ method, url, header }: PageRequest, host: string): Access | undefined {
  const origin = header("origin");
  const site = header("sec-fetch-site");
  if (method !== "POST") {
    const isFromElsewhere = site !== undefined && site !== "same-origin" && site !== "none";
    return isFromElsewhere && pathOf(url) !== PAGE_PATH ? forbidden(OTHER_PAGE) : undefined;
  }
  const isOwn = origin === undefined ? site === "same-origin" : origin === `http://${host}`;
  if (!isOwn) return forbidden(OTHER_PAGE);
  const [type = ""] = (header("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() === "application/json") return undefined;
  return { kind: "rejected", status: 415, reason: "The content type must be application/json." };
}

const OTHER_PAGE = "Only the page itself can send this request.";

function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(address.replace(/^::ffff:/i, ""));
}

/** With DNS rebinding, a page of a different site can reach this port, but its requests carry that site's host name. */
function isOwnHost(host: string, port: number): boolean {
  const [, name = "", given = "80"] = /^(\[[0-9a-f:]+\]|[^:]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return isLoopbackHost(name) && Number(given) === port;
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}

function readToken(url: string): string | undefined {
  const query = url.indexOf("?");
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get("token") ?? undefined);
}

/** Servers on different ports share their cookies, so the name contains the port. */
function cookieName(port: number): string {
  return `tenon-dev-${port}`;
}

function toCookie(port: number, value: string): string {
  return `${cookieName(port)}=${value}; Path=${PAGE_PATH}; HttpOnly; SameSite=Strict`;
}

/**
 * Returns all cookies with a name. A page on a different port of this machine can set one with the same name and a longer
 * path, which would come first.
 */
function readCookies(cookies: string | undefined, name: string): readonly string[] {
  return (cookies ?? "").split(";", MAX_COOKIES).flatMap((pair) => {
    const [key = "", value = ""] = pair.trim().split("=", 2);
    return key === name ? [value] : [];
  });
}

const MAX_COOKIES = 200;
