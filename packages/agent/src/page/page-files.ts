/**
 * @fileoverview Files of the page, which the build has put into the package.
 * @module agent/page/page-files
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { CONFIG_NAME, type PageConfig } from "./page-config.js";

/** File with its type and a tag that changes with its content. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** Paths of the files, their names in the package, and their types. Other paths do not exist. */
const FILES = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/app.css", "app.css", "text/css; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
] as const;

/**
 * Reads the files once, so that requests cannot reach other files. Returns them by path.
 *
 * @throws if a file is missing
 */
export function readPageFiles(config: PageConfig): ReadonlyMap<string, PageFile> {
  const folder = join(packageFacts("@tenon/agent", import.meta.url).root, "dist", "page");
  return new Map(
    FILES.map(([path, name, type]) => {
      const content = readContent(join(folder, name));
      const bytes = name === "index.html" ? new TextEncoder().encode(withConfig(content, config)) : content;
      const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
      return [path, { type, etag, bytes }] as const;
    }),
  );
}

function readContent(path: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new Error(
      "The files of the agent page are missing in this installation. Install @tenon/agent again: npm install @tenon/agent",
      { cause },
    );
  }
}

/** Puts the title and the configuration into the document. */
function withConfig(document: Uint8Array, config: PageConfig): string {
  const meta = `<meta name="${CONFIG_NAME}" content="${escapeHtml(JSON.stringify(config))}" />`;
  // The replacements are functions, because `$` in a text would be a pattern.
  return new TextDecoder()
    .decode(document)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(config.title)}</title>\n    ${meta}`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
