/**
 * @fileoverview A plain `node:http` server, and the smallest bridge from it to fetch functions.
 * @module bench/servers/node-http
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A function of web standards. */
export type FetchFunction = (request: Request) => Promise<Response> | Response;

/** Listens on a free port of the loopback. */
export function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  // Measured servers stay idle while others have their turn.
  server.keepAliveTimeout = 600_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** The whole body of a request. */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}

/** A fetch function as a listener: the body is read first, the answer is written as a whole unless it is a stream. */
export function bridge(handler: FetchFunction): RequestListener {
  return (incoming, outgoing) =>
    readBody(incoming, (body) => {
      const { method = "GET", headers, url = "/" } = incoming;
      const request = new Request(`http://${headers.host ?? "127.0.0.1"}${url}`, {
        method,
        headers: headers as Record<string, string>, // no request of the benchmark repeats a header
        ...(method === "POST" ? { body } : {}),
      });
      void answer(handler(request), outgoing);
    });
}

/** Writes what a fetch function gave. */
export async function answer(pending: Promise<Response> | Response, outgoing: ServerResponse): Promise<void> {
  const response = await pending;
  const head: Record<string, string | number> = {};
  for (const [name, value] of response.headers) head[name] = value;
  if (head["content-type"] === "text/event-stream" && response.body !== null) {
    outgoing.writeHead(response.status, head);
    for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
    return;
  }
  const text = await response.text();
  head["content-length"] = Buffer.byteLength(text);
  outgoing.writeHead(response.status, head);
  outgoing.end(text);
}
