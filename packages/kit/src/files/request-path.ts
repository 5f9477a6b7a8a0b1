/**
 * @fileoverview What a request asks of a router, wherever the router is mounted. Pure: no file is touched to find out.
 * @module kit/files/request-path
 */
import { isSafeName } from "./safe-path.js";

/** The list, one file, nothing that could be a file, or a path that is somebody else's. */
export type Asked =
  | { readonly kind: "list" }
  | { readonly kind: "file"; readonly fileId: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "elsewhere" };

/** A request target, and what it was before a mount took its own part off. */
export interface Target {
  readonly url: string;
  readonly originalUrl?: string;
}

/** A prefix in its one form: `""`, or a path with a slash before and none after. @throws where it is no path */
export function parseRoutePrefix(routePrefix: string): string {
  if (typeof routePrefix !== "string" || !/^(?:\/[\w.~!$&'()*+,;=@:-]+)*\/?$/.test(routePrefix)) {
    throw new TypeError('routePrefix must be a path such as "/exports"');
  }
  return routePrefix.replace(/\/$/, "");
}

/** Reads a request target. */
export function askedBy(target: Target, prefix: string): Asked {
  const rest = belowPrefix(target, prefix);
  if (rest === undefined) return { kind: "elsewhere" };
  if (rest === "" || rest === "/") return { kind: "list" };
  const [, encoded] = /^\/([^/]+)$/.exec(rest) ?? [];
  const fileId = encoded === undefined ? undefined : decodeOnce(encoded);
  return fileId !== undefined && isSafeName(fileId) ? { kind: "file", fileId } : { kind: "nothing" };
}

/**
 * The path below the prefix. `app.use("/exports", router)` has taken the prefix off already; on bare `node:http`, or
 * under `app.use(router)`, it still stands there.
 */
function belowPrefix({ url, originalUrl = url }: Target, prefix: string): string | undefined {
  const path = pathOf(url);
  if (prefix === "") return path;
  const whole = pathOf(originalUrl);
  const mount = mountOf(whole, path);
  // Mounts do not tell upper from lower case.
  if (mount?.toLowerCase().endsWith(prefix.toLowerCase())) return path;
  return after(path, prefix) ?? (mount === undefined ? undefined : after(whole, prefix));
}

/** What a mount took off. Where an application has rewritten the target, there is no telling, and only that counts. */
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

/** The path as it was sent, escapes and all. A target may carry scheme and host, too. */
function pathOf(target: string): string {
  const [path = ""] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split("?", 1);
  return path === "" ? "/" : path;
}

/** Strict UTF-8: overlong forms and stray bytes are no name. */
function decodeOnce(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
