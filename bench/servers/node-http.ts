/**
 * @fileoverview A plain `node:http` server, and the smallest bridge from it to fetch functions.
 * @module bench/servers/node-http
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fetch handler of web standards. */
export type FetchFunction = (request: Request, connection?: unknown) => Promise<Response> | Response;

/** Listens on a free loopback port. */
export function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  // Servers stay idle while others are measured.
  server.keepAliveTimeout = 600_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Reads the whole body of a request. */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}

/** Converts a fetch function to a listener. Reads the body first, and writes the whole response unless it is a stream. */
export function bridge(handler: FetchFunction): RequestListener {
  return (incoming, outgoing) =>
    readBody(incoming, (body) => {
      const { method = "GET", headers, url = "/" } = incoming;
      const request = new Request(`http://${headers.host ?? "127.0.0.1"}${url}`, {
        method,
        headers: headers as Record<string, string>, // requests of the benchmark have no repeated headers
        ...(method === "POST" ? { body } : {}),
      });
      void answer(handler(request), outgoing);
    });
}

/** Writes the response of a fetch function. */
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
