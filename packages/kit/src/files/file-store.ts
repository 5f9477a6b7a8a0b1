/**
 * @fileoverview Saves files to a store under unguessable IDs and builds links to them.
 * @module kit/files/file-store
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ResourceLink } from "tenon/protocol";
import { DELIMITER } from "./directory.js";
import { parseRoutePrefix } from "./request-path.js";
import { parseStoreUri, toSafeName } from "./safe-path.js";

/** Text, bytes, or an iterable of them. It is read as fast as the disk accepts data. */
export type FileContent =
  string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Options of `saveFile`. */
export interface SaveFileOptions {
  /** Directory as a `file://` URI. It is created if it does not exist. */
  readonly resourceStoreUri: string;
  /** Download name. Any text is allowed; unsafe characters are replaced. */
  readonly filename: string;
  readonly contentType?: string;
  /**
   * Maximum number of bytes to write.
   * @default 104857600
   */
  readonly maxBytes?: number;
  /** Stops writing before the next chunk. The partial file is deleted. */
  readonly signal?: AbortSignal;
}

/** A saved file. */
export interface SavedFile {
  readonly fileId: string;
  /** File name in the store: `{fileId}~{downloadName}`. */
  readonly filename: string;
  readonly downloadName: string;
  readonly size: number;
  readonly contentType?: string;
  readonly resourceStoreUri: string;
}

/** Location that serves a store: base URL of the application and prefix of the router. */
export interface ServedAt {
  readonly baseUrl: string;
  readonly routePrefix: string;
}

/** 128 bits, so that IDs cannot be guessed. */
const ID_BYTES = 16;
const DEFAULT_MAX_BYTES = 100 * 1024 * 1024;

/**
 * Saves a file atomically: it is written under a name that is never served, then renamed.
 *
 * @throws if the content is larger than `maxBytes`, or cannot be written
 */
export async function saveFile(content: FileContent, options: SaveFileOptions): Promise<SavedFile> {
  const { resourceStoreUri, contentType, maxBytes = DEFAULT_MAX_BYTES, signal } = options;
  if (!(maxBytes >= 0))
    throw new TypeError(`\`maxBytes\` must be a non-negative number (bytes); got ${String(maxBytes)}.`);
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
 * Returns the URL of a saved file at the application that serves its store. Without one, returns its `file://` URI.
 *
 * @throws if `baseUrl` is not an http or https URL
 */
export function fileUri(
  file: Pick<SavedFile, "fileId" | "filename" | "resourceStoreUri">,
  at?: ServedAt,
): string {
  if (at === undefined) return pathToFileURL(join(parseStoreUri(file.resourceStoreUri), file.filename)).href;
  const base = parseBaseUrl(at.baseUrl);
  return base + parseRoutePrefix(at.routePrefix) + `/${encodeURIComponent(file.fileId)}`;
}

/** Parses a base URL, without a trailing slash. Other parts, such as a password, must not appear in links. */
function parseBaseUrl(baseUrl: string): string {
  const {
    protocol = "",
    origin = "",
    pathname = "",
    href = "",
  } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  if (!/^https?:$/.test(protocol) || href !== origin + pathname) {
    throw new TypeError("`baseUrl` must be an http or https URL.");
  }
  return href.replace(/\/$/, "");
}

/** Returns a resource link for a tool result, so that the client can fetch the file. */
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
      throw new RangeError(`The file is larger than ${maxBytes} bytes. Raise \`maxBytes\` to allow it.`);
    await handle.writeFile(bytes);
  }
  return size;
}
