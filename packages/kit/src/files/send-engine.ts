/**
 * @fileoverview Uses `@fastify/send` to determine a response's status and headers from conditions, ranges, and types.
 * The package never opens the file.
 * @module kit/files/send-engine
 */
import type { Stats } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { locatePackage } from "@tenon/internal/command-line/locate-package";
import type { send as fastifySend } from "@fastify/send";

type Send = typeof fastifySend;

/** Status and headers for a response, determined before the file is read. */
export interface Verdict {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Status of the file that the headers describe. Absent if no file was found. */
  readonly stat?: Stats;
}

/** File and request to determine the response for. */
export interface FileQuestion {
  readonly directory: string;
  readonly name: string;
  readonly size: number;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Determines the status and headers for a response. */
export type SendEngine = (question: FileQuestion) => Promise<Verdict>;

/**
 * Creates an engine. `@fastify/send` is loaded for the first request, because it would slow down the start of every
 * program that imports this package. It is located now, so that a missing package is reported at startup.
 *
 * @param locate finds a package by name, or throws
 * @throws if the package is not installed; the message contains the install command
 */
export function createSendEngine(locate: (name: string) => unknown = locatePackage): SendEngine {
  try {
    locate("@fastify/send");
  } catch (cause) {
    throw new Error(
      'createFileServingRouter requires the package "@fastify/send". Install it: npm install @fastify/send',
      { cause },
    );
  }
  let loading: Promise<{ readonly send: Send }> | undefined;
  return async (question) => {
    loading ??= import("@fastify/send");
    return decide((await loading).send, question);
  };
}

async function decide(send: Send, question: FileQuestion): Promise<Verdict> {
  const { directory, name, size, method, headers } = question;
  const { range: asked, ...others } = headers;
  // Ranges apply only to GET requests.
  const range = method === "GET" ? soundRange(asked, size) : undefined;
  // With HEAD, the package does not open the file. It reads only these two members from the request.
  const request = { method: "HEAD", headers: range === undefined ? others : { ...others, range } };
  const result = await send(request as unknown as Readable, encodeURIComponent(name), {
    root: directory,
    dotfiles: "deny",
    index: false,
    cacheControl: false,
  });
  if (result.type === "file") {
    return { status: result.statusCode, headers: result.headers, stat: result.metadata.stat };
  }
  return { status: result.statusCode, headers: result.statusCode === 416 ? unsatisfied(size) : {} };
}

function unsatisfied(size: number): Verdict["headers"] {
  return { "Content-Range": `bytes */${size}` };
}

/**
 * Returns a single byte range as defined by RFC 9110, where a suffix longer than the file means the whole file.
 * Multiple and malformed ranges are ignored, as the RFC allows.
 */
export function soundRange(range: string | undefined, size: number): string | undefined {
  const [, first, last] = /^ *bytes= *(\d{0,15})-(\d{0,15}) *$/i.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first === "") return size > 0 && Number(last) > size ? "bytes=0-" : `bytes=-${last}`;
  return last !== "" && Number(last) < Number(first) ? undefined : `bytes=${first}-${last}`;
}
