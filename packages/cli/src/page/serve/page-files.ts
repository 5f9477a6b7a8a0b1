/**
 * @fileoverview Files of the page, which the build has put into the package.
 * @module cli/page/serve/page-files
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFacts } from "@tenon/internal/command-line/package-facts";

/** File with its type and a tag that changes with its content. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** Files by the part of their path after the page's path. */
export type PageFiles = (name: string) => Promise<PageFile | undefined>;

/** Names of the files, and their types. Other names do not exist, so a path cannot leave the folder. */
const TYPES: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
};

/** Returns true if the page has a file with this name. */
export function isPageFile(name: string): boolean {
  return Object.hasOwn(TYPES, name);
}

/** Reads files from a folder. Returns `undefined` for a file that is missing. */
export function createPageFiles(folder = defaultFolder()): PageFiles {
  return async (name) => {
    const type = isPageFile(name) ? TYPES[name] : undefined;
    if (type === undefined) return undefined;
    const bytes = await readFile(join(folder, name)).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    return { type, etag, bytes };
  };
}

function defaultFolder(): string {
  return join(packageFacts("@tenon/cli", import.meta.url).root, "dist", "page");
}
