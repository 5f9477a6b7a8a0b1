/**
 * @fileoverview Finds the end of an HTTP response, by its length or by its last chunk.
 * @module bench/lib/http-response
 */
import { Buffer } from "node:buffer";

/** Parsed parts of a response. */
export interface ResponseView {
  readonly status: number;
  /** Start of the body. */
  readonly headEnd: number;
  /** End of the response; `undefined` while it is unknown. */
  readonly end: number | undefined;
  readonly chunked: boolean;
  /** Returns the body without chunk framing, as far as it has arrived. */
  readonly body: (buffer: Buffer) => Buffer;
}

const INCOMPLETE: ResponseView = {
  status: 0,
  headEnd: 0,
  end: undefined,
  chunked: false,
  body: (buffer) => buffer,
};

/** Parses the head of a response, limited to the needs of the benchmark. */
export function readResponse(buffer: Buffer): ResponseView {
  const headEnd = buffer.indexOf("\r\n\r\n") + 4;
  if (headEnd < 4) return INCOMPLETE;
  const head = buffer.toString("latin1", 0, headEnd);
  const status = Number(head.slice(9, 12));
  const at = lengthAt(head);
  if (at > 0) {
    const end = headEnd + Number.parseInt(head.slice(at, at + 12), 10);
    return { status, headEnd, end, chunked: false, body: (whole) => whole.subarray(headEnd, end) };
  }
  if (!/transfer-encoding: *chunked/i.test(head)) {
    // No body, as in 204 and some 202 responses.
    return { status, headEnd, end: headEnd, chunked: false, body: () => Buffer.alloc(0) };
  }
  const chunks = readChunks(buffer, headEnd);
  return { status, headEnd, end: chunks.end, chunked: true, body: () => Buffer.concat(chunks.parts) };
}

/** Finds the value of the length header, in the two spellings that servers use. */
function lengthAt(head: string): number {
  const lower = head.indexOf("content-length:");
  const at = lower >= 0 ? lower : head.indexOf("Content-Length:");
  return at < 0 ? -1 : at + 15;
}

/** Reads the complete chunks. The end is unknown until the last one has arrived. */
function readChunks(
  buffer: Buffer,
  start: number,
): { readonly parts: readonly Buffer[]; readonly end: number | undefined } {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = buffer.indexOf("\r\n", at);
    if (lineEnd < 0) return { parts, end: undefined };
    const size = Number.parseInt(buffer.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (next > buffer.length) return { parts, end: undefined };
    if (size === 0) return { parts, end: next };
    parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
