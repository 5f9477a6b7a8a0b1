/**
 * @fileoverview Determines what a request asks of a router at any mount path. Pure: it does not touch the file
 * system.
 * @module kit/files/request-path
 */
import { isSafeName } from "./safe-path.js";

/** Parsed request: the list, one file, an invalid file ID, or a path outside the router. */
export type Asked =
  | { readonly kind: "list" }
  | { readonly kind: "file"; readonly fileId: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "elsewhere" };

/** Request target, with its original form before a mount stripped its prefix. */
export interface Target {
  readonly url: string;
  readonly originalUrl?: string;
}

/** Normalizes a prefix to `""` or a path with a leading and no trailing slash. @throws if it is not a path */
export function parseRoutePrefix(routePrefix: string): string {
  if (typeof routePrefix !== "string" || !/^(?:\/[\w.~!$&'()*+,;=@:-]+)*\/?$/.test(routePrefix)) {
    throw new TypeError('`routePrefix` must be a path such as "/exports".');
  }
  return routePrefix.replace(/\/$/, "");
}

/** Parses a request target. */
export function askedBy(target: Target, prefix: string): Asked {
  const rest = belowPrefix(target, prefix);
  if (rest === undefined) return { kind: "elsewhere" };
  if (rest === "" || rest === "/") return { kind: "list" };
  const [, encoded] = /^\/([^/]+)$/.exec(rest) ?? [];
  const fileId = encoded === undefined ? undefined : decodeOnce(encoded);
  return fileId !== undefined && isSafeName(fileId) ? { kind: "file", fileId } : { kind: "nothing" };
}

/**
 * Returns the path below the prefix. `app.use("/exports", router)` has already removed the prefix; on `node:http` or
 * under `app.use(router)`, it is still present.
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

/** Returns the path that a mount removed, or `undefined` if the application has rewritten the target. */
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

/** Returns the path as sent, without decoding. A target may also contain scheme and host. */
function pathOf(target: string): string {
  const [path = ""] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split("?", 1);
  return path === "" ? "/" : path;
}

/** Decodes strict UTF-8. Overlong forms and stray bytes are invalid. */
function decodeOnce(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
