/**
 * @fileoverview Sends an open file: headers that make it harmless to a browser, and bytes as fast as the client takes
 * them. Whatever happens, the handle is closed.
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
  /** The name that it is saved under. Without it, the stored name, without its id. */
  readonly downloadName?: string;
  /** Without it, what the extension says. */
  readonly contentType?: string;
  /** @default "attachment" */
  readonly disposition?: Disposition;
}

/** Options of `sendFile`. */
export interface SendOptions {
  readonly presentation: Presentation;
  readonly engine: SendEngine;
  /** How long a client may take nothing before it is cut off. */
  readonly stallMs: number;
}

/** A media type with parameters, of characters that cannot leave the header. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;

/** Sends the file, and closes it. @throws where its presentation is unusable */
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
    // Replaced since it was opened: these headers would be another file's.
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

/** Back-pressure is the pipeline's: no more is read than the client has room for. */
async function stream(
  response: ServerResponse,
  { handle }: OpenFile,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<void> {
  const source = handle.createReadStream({ start, end: start + length - 1 });
  try {
    await pipeline(source, response, { end: false });
  } catch {
    response.destroy(); // the client is gone, or the disk is
    return;
  }
  // A file that was cut short meanwhile must not look complete, nor its connection be used on.
  if (source.bytesRead === length) response.end();
  else response.destroy();
}

function headersOf(
  { status, headers }: Verdict,
  name: string,
  { contentType, disposition, downloadName }: Presentation,
): Record<string, string | number> {
  if (contentType !== undefined && !MEDIA_TYPE.test(contentType)) {
    throw new TypeError("getMetadata gave a contentType that is no media type");
  }
  // Who may read a file is decided at each request, so that no cache may answer by itself.
  const common = { ...headers, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff" };
  if (status === 304) return common;
  const type = contentType ?? String(headers["Content-Type"] ?? "application/octet-stream");
  return {
    ...common,
    "Content-Type": type,
    "Content-Disposition": contentDisposition(downloadName ?? downloadNameOf(name), disposition),
    // A page from the store must not run in our origin. Browsers' own viewers for PDF do not work in a sandbox.
    ...(/^application\/pdf\b/i.test(type)
      ? {}
      : { "Content-Security-Policy": "default-src 'none'; sandbox" }),
  };
}
