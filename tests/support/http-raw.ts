/**
 * @fileoverview Raw sockets without an HTTP client, for requests that clients never send and for exact responses.
 * @module tests/support/http-raw
 */
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { parseHead } from "../../tools/attack/clients/raw-socket.js";

/** Response as received. */
export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a socket to a local port. It is closed when the test ends. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // many tests wait for the server to close the connection
  onTestFinished(() => {
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

/** Writes text and returns `count` responses, or fewer if the connection ends first. */
export async function exchange(
  socket: Socket,
  text: string | Uint8Array,
  count = 1,
): Promise<readonly RawReply[]> {
  let got = "";
  return new Promise((resolve, reject) => {
    const onData = (chunk: Uint8Array) => {
      got += Buffer.from(chunk).toString("latin1");
      if (parseReplies(got).length >= count) done();
    };
    const timer = setTimeout(() => reject(new Error(`Timed out waiting for a response; got: ${got}`)), 5_000);
    const done = () => {
      clearTimeout(timer);
      socket.off("data", onData);
      socket.off("close", done);
      resolve(parseReplies(got));
    };
    socket.on("data", onData);
    socket.once("close", done);
    socket.write(text);
  });
}

/** Responses that have arrived on a socket. */
export interface Replies {
  /** Parses all responses so far. */
  all(): readonly RawReply[];
  /** Resolves with all responses when the connection has ended. */
  readonly ended: Promise<readonly RawReply[]>;
}

/** Collects all responses that arrive on a socket from now on. */
export function collectReplies(socket: Socket): Replies {
  const chunks: Uint8Array[] = [];
  socket.on("data", (chunk: Uint8Array) => void chunks.push(chunk));
  const all = () => parseReplies(Buffer.concat(chunks).toString("latin1"));
  const ended = new Promise<readonly RawReply[]>((resolve) => {
    socket.once("close", () => resolve(all()));
  });
  return { all, ended };
}

/** Sends a request on its own socket. */
export async function rawRequest(port: number, text: string | Uint8Array): Promise<RawReply> {
  const socket = await openSocket(port);
  const [reply] = await exchange(socket, text);
  socket.destroy();
  if (reply === undefined) throw new Error("The connection was closed without a response.");
  return reply;
}

/** Formats a POST request. Adds the body's length unless the headers override it. */
export function rawPost(
  body: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  target = "/mcp",
): string {
  const all = {
    Host: "localhost",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return [`POST ${target} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

/** Parses complete responses. A streamed response contains the data received so far. */
function parseReplies(text: string): readonly RawReply[] {
  const replies: RawReply[] = [];
  let rest = text;
  for (;;) {
    const head = parseHead(rest);
    if (head === undefined) return replies;
    const { status, headers, after } = head;
    const length = Number(headers["content-length"] ?? Number.NaN);
    if (after.length < length) return replies;
    const size = Number.isNaN(length) ? streamedLength(after) : length;
    replies.push({ status, headers, body: after.slice(0, size) });
    rest = after.slice(size);
  }
}

/** Returns the length of a streamed body, with its last chunk if that has arrived. */
function streamedLength(body: string): number {
  const last = body.startsWith(LAST_CHUNK) ? 0 : body.indexOf(`\r\n${LAST_CHUNK}`) + 2;
  return last === 1 ? body.length : last + LAST_CHUNK.length;
}

const LAST_CHUNK = "0\r\n\r\n";
