/**
 * @fileoverview Pages that the browser shows at the end of a login. They contain no text from the request, so a request
 * cannot inject markup.
 * @module oauth/login/pages
 */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

const STYLE =
  ":root{color-scheme:light dark}" +
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}";

/** Status, title, and text for each page. */
const PAGES = {
  done: [200, "You are signed in", "You can close this window and return to your application."],
  failed: [400, "Sign-in failed", "Close this window, return to your application, and try again."],
  unknown: [
    400,
    "No sign-in in progress",
    "This sign-in link has expired or was already used. Return to your application and sign in again.",
  ],
  forbidden: [403, "Forbidden", "This address is used only to complete a sign-in on this machine."],
  missing: [404, "Not found", "This address is used only to complete a sign-in."],
  method: [405, "Method not allowed", "Open this address in a browser."],
} as const;

/** Name of a page. */
export type PageName = keyof typeof PAGES;

/** Sends a page. Its policy forbids scripts, external resources, framing, and referrers. */
export function sendPage(response: ServerResponse, name: PageName): void {
  const [status, title, text] = PAGES[name];
  const styleHash = createHash("sha256").update(STYLE).digest("base64");
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...(status === 405 ? { allow: "GET" } : {}),
  });
  response.end(
    `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style>` +
      `<h1>${title}</h1><p>${text}</p></html>\n`,
  );
}
