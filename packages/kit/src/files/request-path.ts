/**
 * @fileoverview Parses request targets for a router at any mount path. Does not access the file system.
 * @module kit/files/request-path
 */
import { printable } from "@tenon/internal/text";
import { isSafeName } from "./safe-path.js";

/** Parsed request: the list, one file, an invalid file ID, or a path outside the router. */
export type Asked =
  | { readonly kind: "list" }
  | { readonly kind: "file"; readonly fileId: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "elsewhere" };

/** Request target. */
export interface Target {
  /** Target as the router sees it. A mount may have removed its prefix. */
  readonly url: string;
  /** Target before mounts removed their prefixes, if the framework provides it. */
  readonly originalUrl?: string;
}

/** Validates a prefix and removes its trailing slash. @throws if it is not a path */
export function parseRoutePrefix(routePrefix: string): string {
  if (typeof routePrefix !== "string" || !/^(?:\/[\w.~!$&'()*+,;=@:-]+)*\/?$/.test(routePrefix)) {
    const given: unknown = routePrefix; // JavaScript callers may pass anything
    const got = JSON.stringify(printable(String(given)));
    throw new TypeError(`\`routePrefix\` must be a path such as "/exports"; got ${got}.`);
  }
  return routePrefix.replace(/\/$/, "");
}

/** Parses a request target below the given prefix. */
export function askedBy(target: Target, prefix: string): Asked {
  const rest = belowPrefix(target, prefix);
  if (rest === undefined) return { kind: "elsewhere" };
  if (rest === "" || rest === "/") return { kind: "list" };
  const [, encoded] = /^\/([^/]+)$/.exec(rest) ?? [];
  const fileId = encoded === undefined ? undefined : decodeOnce(encoded);
  return fileId !== undefined && isSafeName(fileId) ? { kind: "file", fileId } : { kind: "nothing" };
}

/**
 * Returns the path below the prefix. With `app.use("/exports", router)`, Express has already removed the prefix. With
 * `app.use(router)` or `node:http`, it is still present.
 */
function belowPrefix({ url, originalUrl = url }: Target, prefix: string): string | undefined {
  const path = pathOf(url);
  if (prefix === "") return path;
  const whole = pathOf(originalUrl);
  const mount = mountOf(whole, path);
  // Mount paths are case-insensitive.
  if (mount?.toLowerCase().endsWith(prefix.toLowerCase())) return path;
  return after(path, prefix) ?? (mount === undefined ? undefined : after(whole, prefix));
}

/** Returns the path that mounts removed, or `undefined` if they removed nothing or the target was rewritten. */
function mountOf(whole: string, path: string): string | undefined {
  if (whole === path) return undefined;
  if (path === "/") return whole.replace(/\/$/, "");
  return whole.endsWith(path) ? whole.slice(0, -path.length) : undefined;
}

function after(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const rest = path.slice(prefix.length);
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}

/** Returns the path as sent, without decoding. Removes the query, and the scheme and host if present. */
function pathOf(target: string): string {
  const [path = ""] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split("?", 1);
  return path === "" ? "/" : path;
}

/** Decodes percent-encoding once. Returns `undefined` if the bytes are not valid UTF-8. */
function decodeOnce(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
