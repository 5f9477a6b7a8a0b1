/**
 * @fileoverview HTTP clients that control every byte: a socket with keep-alive, pipelining, and chunked bodies, and calls
 * of a fetch handler with streamed bodies.
 * @module tools/fuzz/targets/http-client
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FetchHandler } from "tenon/fetch";
import type { Random } from "../../random.js";
import type { Chunking } from "../block.js";
import { splitBytes } from "../frames/chunks.js";
import { withTimeout } from "./line-client.js";
import { patience } from "./patience.js";

/** Request to send. */
export interface HttpRequest {
  readonly method: "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Response that was received. */
export interface HttpReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Connection to an HTTP endpoint. */
export interface HttpWire {
  /** Sends requests without waiting between them. Resolves to their responses in order. @throws if one is missing */
  send(requests: readonly HttpRequest[], chunking: Chunking, random: Random): Promise<readonly HttpReply[]>;
  close(): void;
}

/** Connects to a server on a local port. */
export async function openSocketWire(port: number): Promise<HttpWire> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  const reader = new ReplyReader();
  let wake = () => {};
  socket.on("error", () => wake());
  socket.on("close", () => wake());
  socket.on("data", (chunk) => {
    reader.push(chunk);
    wake();
  });
  await withTimeout(once(socket, "connect"), patience.replyMs);
  return {
    async send(requests, chunking, random) {
      const bytes = Buffer.concat(requests.map((request) => toBytes(request, random)));
      for (const chunk of splitBytes(bytes, chunking, random)) socket.write(chunk);
      const replies: HttpReply[] = [];
      while (replies.length < requests.length) {
        const reply = reader.next();
        if (reply !== undefined) replies.push(reply);
        else if (socket.destroyed)
          throw new Error(`The connection was closed after ${replies.length} responses.`);
        else await withTimeout(new Promise<void>((resolve) => (wake = resolve)), patience.replyMs);
      }
      if (reader.rest > 0) throw new Error(`The server sent ${reader.rest} bytes more than its responses.`);
      return replies;
    },
    close: () => closeSocket(socket),
  };
}

/** Creates a client that calls a fetch handler. */
export function openFetchWire(handler: FetchHandler): HttpWire {
  return {
    async send(requests, chunking, random) {
      const replies: HttpReply[] = [];
      for (const { method, headers, body } of requests) {
        const chunks = splitBytes(body, chunking, random);
        const init = {
          method,
          headers,
          ...(method === "POST" ? { body: chunks.length > 1 ? toStream(chunks) : body, duplex: "half" } : {}),
        } as RequestInit; // Safe: the declarations of fetch do not have `duplex`
        const response = await withTimeout(
          handler(new Request("http://localhost/mcp", init)),
          patience.replyMs,
        );
        const text = await withTimeout(response.text(), patience.replyMs);
        replies.push({ status: response.status, headers: new Map(response.headers), body: text });
      }
      return replies;
    },
    close: () => {},
  };
}

function closeSocket(socket: Socket): void {
  socket.destroy();
}

/** Formats a request. Sometimes sends the body with a chunked transfer encoding. */
export function toBytes({ method, headers, body }: HttpRequest, random: Random): Uint8Array {
  const isChunked = method === "POST" && random.chance(0.2);
  const all = {
    Host: "localhost",
    ...headers,
    ...(isChunked ? { "Transfer-Encoding": "chunked" } : { "Content-Length": String(body.length) }),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = Buffer.from(`${method} /mcp HTTP/1.1\r\n${head.join("")}\r\n`, "latin1");
  if (!isChunked) return Buffer.concat([start, body]);
  const pieces = body.length === 0 ? [] : splitBytes(body, "random", random);
  const framed = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([start, ...framed, Buffer.from("0\r\n\r\n")]);
}

function toStream(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[at++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(Uint8Array.from(chunk));
    },
  });
}

/** Reads responses from a stream of bytes. */
export class ReplyReader {
  #bytes: Uint8Array = Buffer.alloc(0);

  /** Number of bytes that do not belong to a response that was read. */
  get rest(): number {
    return this.#bytes.length;
  }

  /** Appends bytes of the stream. */
  push(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  /** Returns the next complete response. @throws if the bytes are not a response */
  next(): HttpReply | undefined {
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    const end = bytes.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const [start = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    if (Number.isNaN(status)) throw new Error(`Not an HTTP response: ${start.slice(0, 100)}`);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const from = end + 4;
    const found = headers.has("transfer-encoding")
      ? readChunked(bytes, from)
      : readLength(bytes, from, Number(headers.get("content-length") ?? 0));
    if (found === undefined) return undefined;
    this.#bytes = bytes.subarray(found.end);
    return { status, headers, body: found.body };
  }
}

interface Body {
  readonly body: string;
  readonly end: number;
}

function readLength(bytes: Buffer, from: number, length: number): Body | undefined {
  const end = from + length;
  return bytes.length < end ? undefined : { body: bytes.toString("utf8", from, end), end };
}

function readChunked(bytes: Buffer, from: number): Body | undefined {
  const pieces: Uint8Array[] = [];
  for (let at = from; ;) {
    const line = bytes.indexOf("\r\n", at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const end = line + 2 + size + 2;
    if (Number.isNaN(size)) throw new Error("A chunk of the response has no size.");
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(pieces).toString(), end };
    pieces.push(bytes.subarray(line + 2, end - 2));
    at = end;
  }
}
