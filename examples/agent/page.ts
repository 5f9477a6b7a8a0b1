/**
 * @fileoverview Serves the page: a fixed list of files, to browsers on this machine only.
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

/** Creates the request handler for the page. The files are read once, so no request can name any other file. */
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
    // Another host name that resolves to this machine belongs to a foreign page (DNS rebinding).
    if (!LOOPBACK.test(host)) return void refuse(403, "This page is available on this machine only.\n");
    const file = files.get(url.split("?", 1)[0] ?? "");
    if (file === undefined) return void refuse(404, "Not found\n");
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return void refuse(405, "Method not allowed.\n");
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
