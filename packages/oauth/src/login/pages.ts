/**
 * @fileoverview What the user's browser shows at the end of a login. Every text is ours: nothing from the request is
 * shown, so nothing in it can be more than shown.
 * @module oauth/pages
 */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

const STYLE =
  ":root{color-scheme:light dark}" +
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}";

/** The pages, by what happened. */
const PAGES = {
  done: [200, "You are signed in", "You can close this window and go back to your work."],
  failed: [400, "The sign-in did not work", "Close this window, go back to your work and try again."],
  unknown: [400, "No sign-in waits for this", "It was finished before, or it was not started here."],
  forbidden: [403, "Not here", "This address is only for the end of a sign-in on this machine."],
  missing: [404, "Not here", "This address is only for the end of a sign-in."],
  method: [405, "Not like this", "This address can only be opened in a browser."],
} as const;

/** What happened. */
export type PageName = keyof typeof PAGES;

/** Answers with a page that runs nothing, loads nothing, stands in no frame and tells no other site where it was. */
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
