/**
 * @fileoverview Hostile servers for the tests of the client's limits: real HTTP servers, and real programs.
 * @module tests/support/client/hostile-peers
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { type Client, createClient, type RemoteClientOptions } from "../../../src/client/index.js";
import type { JsonObject } from "../../../src/protocol/index.js";

/** Message of the client, and the response that the server writes. */
export interface Received {
  readonly id: unknown;
  readonly method: unknown;
  readonly params: JsonObject;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Responds with a result as JSON. */
export function reply({ id, response }: Received, result: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

const COMPRESS = {
  gzip: (text: string) => gzipSync(text, { level: 1 }),
  deflate: (text: string) => deflateSync(text, { level: 1 }),
  br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** Response of `replyCompressed`. */
interface CompressedReply {
  readonly encoding?: keyof typeof COMPRESS;
  readonly status?: number;
  readonly error?: JsonObject;
}

/** Responds with a result as compressed JSON. */
export function replyCompressed(
  { id, response }: Received,
  result: unknown,
  { encoding = "gzip", status = 200, error }: CompressedReply = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding });
  response.end(COMPRESS[encoding](JSON.stringify({ jsonrpc: "2.0", id, result, error })));
}

/** Opens an event stream. Returns a function that sends a message on it. */
export function openStream({ response }: Received): (message: JsonObject) => Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (message) => writeTo(response, `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
}

/** Writes text. Resolves when the client has read enough of it, or is gone. */
export async function writeTo(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const stop = new AbortController();
  const { signal } = stop;
  const events = ["drain", "close"].map((name) => once(response, name, { signal }).catch(() => undefined));
  await Promise.race(events);
  stop.abort();
}

/** Starts an HTTP server that completes the handshake in the stateless revision. Every other message is passed on. */
export async function serveHostile(
  attack: (received: Received) => unknown,
  handshake: JsonObject = HANDSHAKE,
): Promise<string> {
  const http = createServer((request, response) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk as Uint8Array);
      const text = Buffer.concat(chunks).toString();
      const { id, method, params = {} } = (text === "" ? {} : JSON.parse(text)) as JsonObject;
      const received = { id, method, params: params as JsonObject, request, response };
      if (method === "server/discover") reply(received, handshake);
      else await attack(received);
    })().catch(() => response.destroy());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const HANDSHAKE = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** Connects a client to a hostile HTTP server. */
export async function connectHostile(
  attack: (received: Received) => unknown,
  options: RemoteClientOptions = {},
): Promise<Client> {
  const client = await createClient(await serveHostile(attack), { timeoutMs: 50_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

/**
 * Connects a client to a hostile program. `attack` is the body of a function with the parameters `id`, `method`, and
 * `params`, and with `send(message)`, which resolves when the message was read. It is called with every message after
 * the handshake.
 */
export async function connectProgram(attack: string, options: RemoteClientOptions = {}): Promise<Client> {
  const client = await createClient(
    {
      command: process.execPath,
      args: ["-e", `${PROGRAM}\nasync function attack(id, method, params) {${attack}}`],
    },
    { timeoutMs: 50_000, ...options },
  );
  onTestFinished(() => client.close());
  return client;
}

const PROGRAM = `
const { once } = require("node:events");
const write = async (text) => { if (!process.stdout.write(text)) await once(process.stdout, "drain"); };
const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const lines = require("node:readline").createInterface({ input: process.stdin });
process.stdout.on("error", () => process.exit());
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "server/discover") void send({ id, result: ${JSON.stringify(HANDSHAKE)} });
  else void attack(id, method, params);
});
lines.on("close", () => process.exit());
`;

/** Attack of a program: reports progress of each request without an end. */
export const REPORT_PROGRESS = `
let progress = 0;
setInterval(() => send({ method: "notifications/progress", params: { progressToken: id, progress: ++progress } }), 20);
`;
