/**
 * @fileoverview Serves the page's files, from a fixed list, to browsers on this machine only.
 * @module examples/agent/page
 */
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

const FILES: readonly (readonly [string, keyof typeof TYPES])[] = [
  ["index", "html"],
  ["icon", "svg"],
  ...["theme", "layout", "conversation", "composer"].map((name) => [name, "css"] as const),
  ...["announcements", "blocks", "chat", "composer", "dom", "drafts", "items"].map(asScript),
  ...["rich-text", "sidebar", "socket", "state", "task-list", "to-item", "tool-card"].map(asScript),
  ...["values", "view"].map(asScript),
];

/** Creates the page's request handler. It reads the files once at startup, so requests cannot reach other files. */
export function createPage(): RequestListener {
  const files = new Map(
    FILES.map(([name, kind]) => {
      const body = readFileSync(new URL(`page/${name}.${kind}`, import.meta.url));
      return [name === "index" ? "/" : `/${name}.${kind}`, { body, type: TYPES[kind] }] as const;
    }),
  );
  return ({ method, url = "", headers: { host = "" } }, response) => {
    const headers = toHeaders(host);
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { ...headers, "content-type": "text/plain; charset=utf-8" }).end(text);
    // Stops DNS rebinding: a page on a different host name must not reach this server.
    if (!LOOPBACK.test(host))
      return void refuse(403, "This page is only available at localhost, 127.0.0.1, or [::1].\n");
    const file = files.get(url.split("?", 1)[0] ?? "");
    if (file === undefined) return void refuse(404, "Not found.\n");
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return void refuse(405, "Method not allowed. Use GET or HEAD.\n");
    }
    response.writeHead(200, {
      ...headers,
      "content-type": file.type,
      "content-length": file.body.byteLength,
    });
    response.end(method === "HEAD" ? undefined : file.body);
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

function toHeaders(host: string) {
  const socket = LOOPBACK.test(host) ? `ws://${host}` : "";
  return {
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self' ${socket}`.trim(),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function asScript(name: string) {
  return [name, "js"] as const;
}
