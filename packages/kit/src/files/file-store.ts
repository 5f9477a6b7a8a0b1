/**
 * @fileoverview Saves files to a store under unguessable IDs and builds links to them.
 * @module kit/files/file-store
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, number, text } from "@tenon/internal/options/option-rows";
import { isUrl } from "@tenon/internal/security/is-url";
import type { ResourceLink } from "tenon/protocol";
import { DELIMITER } from "./directory.js";
import { parseRoutePrefix } from "./request-path.js";
import { parseStoreUri, STORE_URI, toSafeName } from "./safe-path.js";

/** Text, bytes, or an iterable of either. An iterable is read only as fast as the disk can write. */
export type FileContent =
  string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const SAVE_OPTIONS = /* @__PURE__ */ defineOptions("saveFile", {
  /** Directory as a `file://` URI. It is created if it does not exist, readable only by its owner. */
  resourceStoreUri: STORE_URI,
  /** Download name. Unsafe characters are replaced. */
  filename: text({ required: true, allowEmpty: true, aliases: ["name"] }),
  /** Media type for the link that `fileLink` creates. */
  contentType: text({ allowEmpty: true, aliases: ["mimeType"] }),
  /**
   * Maximum file size in bytes.
   * @default 104857600
   */
  maxBytes: number({ default: 100 * 1024 * 1024, aliases: ["maxSize", "limit"] }),
  /** Aborts writing before the next chunk. The partial file is deleted. */
  signal: custom<AbortSignal>(),
});

/** Options for `saveFile`. */
export interface SaveFileOptions extends OptionsOf<typeof SAVE_OPTIONS> {}

/** Result of `saveFile`, to pass to `fileUri` and `fileLink`. */
export interface SavedFile {
  readonly fileId: string;
  /** File name in the store: `{fileId}~{downloadName}`. */
  readonly filename: string;
  readonly downloadName: string;
  /** Size in bytes. */
  readonly size: number;
  readonly contentType?: string;
  readonly resourceStoreUri: string;
}

/** Public address of a store that is served over HTTP. */
export interface ServedAt {
  /** The application's http or https URL, such as `https://files.example`. */
  readonly baseUrl: string;
  /** The router's `routePrefix`. */
  readonly routePrefix: string;
}

/** Random bytes per ID. 128 bits cannot be guessed. */
const ID_BYTES = 16;

/**
 * Saves a file atomically. It is written under a name that is never served, and renamed when it is complete.
 *
 * @throws if an option is unknown or invalid, the content exceeds `maxBytes`, writing fails, or `signal` is aborted
 */
export async function saveFile(content: FileContent, options: SaveFileOptions): Promise<SavedFile> {
  const { resourceStoreUri, contentType, maxBytes, signal } = parseOptions(SAVE_OPTIONS, options);
  const directory = parseStoreUri(resourceStoreUri);
  const fileId = randomBytes(ID_BYTES).toString("hex");
  const downloadName = toSafeName(options.filename, 200);
  const filename = fileId + DELIMITER + downloadName;
  const draft = join(directory, `.${fileId}.part`);
  signal?.throwIfAborted();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const handle = await open(draft, "wx", 0o600);
  let size: number;
  try {
    try {
      size = await write(handle, content, { maxBytes, signal });
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, join(directory, filename));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const type = contentType === undefined ? {} : { contentType };
  return { fileId, filename, downloadName, size, ...type, resourceStoreUri };
}

/**
 * Returns the HTTP URL of a saved file, or its `file://` URI if `at` is omitted.
 *
 * @throws if `baseUrl` is not an http or https URL without credentials, query, and fragment
 */
export function fileUri(
  file: Pick<SavedFile, "fileId" | "filename" | "resourceStoreUri">,
  at?: ServedAt,
): string {
  if (at === undefined) return pathToFileURL(join(parseStoreUri(file.resourceStoreUri), file.filename)).href;
  const base = parseBaseUrl(at.baseUrl);
  return base + parseRoutePrefix(at.routePrefix) + `/${encodeURIComponent(file.fileId)}`;
}

/** Parses a base URL and removes its trailing slash. Credentials, queries, and fragments must not appear in links. */
function parseBaseUrl(baseUrl: string): string {
  const { protocol = "", origin = "", pathname = "", href = "" } = isUrl(baseUrl) ? new URL(baseUrl) : {};
  if (!/^https?:$/.test(protocol)) {
    const got = protocol === "" ? "a string that is not a URL" : `a URL that starts with ${protocol}`;
    throw new TypeError(`\`baseUrl\` must be an http or https URL; got ${got}.`);
  }
  if (href !== origin + pathname) {
    throw new TypeError("`baseUrl` must not contain credentials, a query, or a fragment.");
  }
  return href.replace(/\/$/, "");
}

/** Creates a resource link to a saved file, to return from a tool. */
export function fileLink(file: SavedFile, at?: ServedAt): ResourceLink {
  return {
    type: "resource_link",
    uri: fileUri(file, at),
    name: file.downloadName,
    ...(file.contentType === undefined ? {} : { mimeType: file.contentType }),
    size: file.size,
  };
}

async function write(
  handle: FileHandle,
  content: FileContent,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal | undefined },
): Promise<number> {
  let size = 0;
  for await (const part of typeof content === "string" || content instanceof Uint8Array
    ? [content]
    : content) {
    signal?.throwIfAborted();
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    size += bytes.length;
    if (size > maxBytes)
      throw new RangeError(
        `The file is too large (limit: ${maxBytes} bytes). Raise \`maxBytes\` to allow it.`,
      );
    await handle.writeFile(bytes);
  }
  return size;
}
