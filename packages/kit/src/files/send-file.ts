/**
 * @fileoverview Sends an open file with headers that keep browsers safe, and with back-pressure. The handle is always
 * closed.
 * @module kit/files/send-file
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { refuse } from "./answers.js";
import { contentDisposition, type Disposition } from "./content-disposition.js";
import { downloadNameOf } from "./directory.js";
import { isSameFile, type OpenFile } from "./open-file.js";
import type { SendEngine, Verdict } from "./send-engine.js";

/** Presentation of a file. */
export interface Presentation {
  /** Name for saving the file. @default the stored name without its ID */
  readonly downloadName?: string;
  /** Media type. @default derived from the extension */
  readonly contentType?: string;
  /** @default "attachment" */
  readonly disposition?: Disposition;
}

/** Options of `sendFile`. */
export interface SendOptions {
  readonly presentation: Presentation;
  readonly engine: SendEngine;
  /** Maximum time without progress before the download is aborted, in milliseconds. */
  readonly stallMs: number;
}

/** Media type with parameters. Its characters cannot break out of the header. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;

/** Sends the file and closes it. @throws if its presentation is invalid */
export async function sendFile(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  file: OpenFile,
  { presentation, engine, stallMs }: SendOptions,
): Promise<void> {
  const { request, response } = exchange;
  try {
    const { method = "GET", headers } = request;
    const { directory, name, stat } = file;
    const verdict = await engine({ directory, name, size: stat.size, method, headers });
    if (response.destroyed) return;
    if (verdict.status === 412 || verdict.status === 416) {
      return refuse(exchange, verdict.status, verdict.headers);
    }
    if (verdict.stat === undefined) return refuse(exchange, 404);
    // The file was replaced after it was opened, so these headers describe another file.
    if (!isSameFile(verdict.stat, stat)) return refuse(exchange, 503, { "Retry-After": 1 });
    response.writeHead(verdict.status, headersOf(verdict, name, presentation));
    const length = Number(verdict.headers["Content-Length"] ?? 0);
    if (method === "HEAD" || verdict.status === 304 || length === 0) return void response.end();
    const [, start = "0"] = /^bytes (\d+)-/.exec(String(verdict.headers["Content-Range"])) ?? [];
    response.setTimeout(stallMs, () => response.destroy());
    await stream(response, file, { start: Number(start), length });
  } finally {
    await file.handle.close();
  }
}

/** Streams the file. The pipeline applies back-pressure: it reads no more than the client accepts. */
async function stream(
  response: ServerResponse,
  { handle }: OpenFile,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<void> {
  const source = handle.createReadStream({ start, end: start + length - 1 });
  try {
    await pipeline(source, response, { end: false });
  } catch {
    response.destroy(); // the client disconnected, or reading failed
    return;
  }
  // A file that was truncated during the transfer must not look complete, and its connection must not be reused.
  if (source.bytesRead === length) response.end();
  else response.destroy();
}

function headersOf(
  { status, headers }: Verdict,
  name: string,
  { contentType, disposition, downloadName }: Presentation,
): Record<string, string | number> {
  if (contentType !== undefined && !MEDIA_TYPE.test(contentType)) {
    throw new TypeError("`getMetadata` returned a `contentType` that is not a valid media type.");
  }
  // Access is checked on every request, so caches must revalidate.
  const common = { ...headers, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff" };
  if (status === 304) return common;
  const type = contentType ?? String(headers["Content-Type"] ?? "application/octet-stream");
  return {
    ...common,
    "Content-Type": type,
    "Content-Disposition": contentDisposition(downloadName ?? downloadNameOf(name), disposition),
    // HTML from the store must not run in our origin. Browsers' PDF viewers do not work in a sandbox.
    ...(/^application\/pdf\b/i.test(type)
      ? {}
      : { "Content-Security-Policy": "default-src 'none'; sandbox" }),
  };
}
