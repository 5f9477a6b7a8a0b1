/**
 * @fileoverview Sends an open file with security headers and back-pressure, and always closes its handle.
 * @module kit/files/send-file
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { printable } from "@tenon/internal/text";
import { refuse } from "./answers.js";
import { contentDisposition, type Disposition } from "./content-disposition.js";
import { downloadNameOf } from "./directory.js";
import { isSameFile, type OpenFile } from "./open-file.js";
import type { SendEngine, Verdict } from "./send-engine.js";

/** Name, type, and disposition that the client sees. */
export interface Presentation {
  /** Suggested name for saving the file. @default the stored name without its ID */
  readonly downloadName?: string;
  /** Media type. @default derived from the file extension */
  readonly contentType?: string;
  /** Tells browsers to save the file or to show it. @default "attachment" */
  readonly disposition?: Disposition;
}

/** Options for `sendFile`. */
export interface SendOptions {
  readonly presentation: Presentation;
  readonly engine: SendEngine;
  /** Milliseconds without progress after which the download is aborted. */
  readonly stallMs: number;
}

/** Media type with optional parameters. Matching text cannot break out of the header. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;

/** Sends the file and closes its handle. @throws if `contentType` is not a valid media type */
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
    // The file was replaced after it was opened, so these headers describe a different file.
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

/** Streams part of the file. The pipeline applies back-pressure, so it reads only as fast as the client receives. */
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
  // If the file was truncated during the transfer, the response must not look complete. Closing the connection ensures
  // that.
  if (source.bytesRead === length) response.end();
  else response.destroy();
}

function headersOf(
  { status, headers }: Verdict,
  name: string,
  { contentType, disposition, downloadName }: Presentation,
): Record<string, string | number> {
  if (contentType !== undefined && !MEDIA_TYPE.test(contentType)) {
    const got = JSON.stringify(printable(contentType));
    throw new TypeError(
      `\`contentType\` must be a media type such as text/csv; \`getMetadata\` returned ${got}.`,
    );
  }
  // Access is checked on every request, so caches must revalidate their copies.
  const common = { ...headers, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff" };
  if (status === 304) return common;
  const type = contentType ?? String(headers["Content-Type"] ?? "application/octet-stream");
  return {
    ...common,
    "Content-Type": type,
    "Content-Disposition": contentDisposition(downloadName ?? downloadNameOf(name), disposition),
    // HTML from the store must not run in this origin. PDF files are exempt, because browsers cannot show them in a
    // sandbox.
    ...(/^application\/pdf\b/i.test(type)
      ? {}
      : { "Content-Security-Policy": "default-src 'none'; sandbox" }),
  };
}
