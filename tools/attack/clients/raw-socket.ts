/**
 * @fileoverview Raw sockets, for requests that no HTTP client sends.
 * @module tools/attack/clients/raw-socket
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { WireReply } from "./messages.js";

/** Outcome of an exchange on one connection. */
export interface RawExchange {
  readonly replies: readonly WireReply[];
  /** Everything that the server sent. */
  readonly text: string;
  /** True if the server closed the connection. */
  readonly isClosed: boolean;
}

/** Text to write, and the time at which the exchange ends. */
export interface RawScript {
  /** Texts to write one after the other, in Latin-1. */
  readonly pieces: readonly string[];
  /** Returns true when all expected responses have arrived. */
  readonly isDone: (replies: readonly WireReply[]) => boolean;
  /** Time without data from the server after which the exchange ends, in milliseconds. */
  readonly quietMs: number;
}

/** Opens a connection. @throws if the server does not accept it */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {}); // the server may close the connection of an attacker
  return socket;
}

/** Writes the pieces on a new connection, and reads the responses. */
export async function exchangeRaw(
  port: number,
  { pieces, isDone, quietMs }: RawScript,
): Promise<RawExchange> {
  const socket = await openSocket(port);
  let text = "";
  let last = performance.now();
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    last = performance.now();
  });
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(Buffer.from(piece, "latin1"));
    last = performance.now();
    // The pieces arrive separately.
    if (pieces.length > 1) await sleep(1);
  }
  while (!socket.closed && !isDone(parseReplies(text)) && performance.now() - last < quietMs) await sleep(2);
  const outcome = { replies: parseReplies(text), text, isClosed: socket.closed };
  socket.destroy();
  return outcome;
}

/** Parses complete responses. */
export function parseReplies(text: string): readonly WireReply[] {
  const replies: WireReply[] = [];
  let rest = text;
  for (;;) {
    const head = parseHead(rest);
    if (head === undefined) return replies;
    const { status, headers, after } = head;
    const size = sizeOf(status, headers, after);
    if (size === undefined) return replies;
    // An interim response announces that the body may be sent.
    if (status !== 100) replies.push({ status, headers, body: after.slice(0, size) });
    rest = after.slice(size);
  }
}

/** Status and headers of a response, and the text after them. */
export interface ResponseHead {
  readonly status: number;
  /** Values by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly after: string;
}

/** Parses the start of a response. Returns `undefined` if its headers are not complete. */
export function parseHead(text: string): ResponseHead | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [start = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(start.split(" ")[1]), headers, after: text.slice(end + 4) };
}

/** Returns the number of characters of a body, or `undefined` if it is not complete. */
function sizeOf(status: number, headers: Readonly<Record<string, string>>, text: string): number | undefined {
  if (status === 100 || status === 204 || status === 304) return 0;
  if (headers["transfer-encoding"] === "chunked") {
    const end = text.indexOf("0\r\n\r\n");
    return end < 0 ? undefined : end + 5;
  }
  // On a connection that stays open, a response without a length has no body.
  const isLast = headers["connection"] !== "keep-alive";
  const length = Number(headers["content-length"] ?? (isLast ? text.length : 0));
  return text.length < length ? undefined : length;
}
