/**
 * @fileoverview Hostile server process: `node server.ts http|stdio BEHAVIOR`. Over HTTP, it prints its URL, and then each
 * second the number of requests so far.
 * @module tools/attack/hostile/server
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type Behavior, BEHAVIORS, type HostileRequest, LARGE, type Peer } from "./behaviors.js";

const [mode = "", given = ""] = process.argv.slice(2);
/** True for a server with sessions. It attacks on the stream that does not belong to a request. */
const isLegacy = given.startsWith("legacy-");
const name = given.replace("legacy-", "");
const known = BEHAVIORS[name];
const isDeaf = name === "deaf";
const isRedirect = name === "redirects";
const isMute = name === "muteAnswers";
if (known === undefined && !isDeaf && !isRedirect && !isMute)
  throw new TypeError(`Unknown behavior ${name}.`);
const behavior: Behavior = known ?? BEHAVIORS[isMute ? "pings" : "silence"] ?? (() => Promise.resolve());

const HANDSHAKE = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "hostile", version: "1" },
  ...(name === "handshake" && { instructions: LARGE }),
};

/** Writes text. Resolves when the reader has read enough of it, or is gone. */
async function writeTo(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(text)) return;
  const stop = new AbortController();
  const events = ["drain", "close"].map((event) =>
    once(stream, event, { signal: stop.signal }).catch(() => undefined),
  );
  await Promise.race(events);
  stop.abort();
}

const toLine = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

/** Serves lines on the standard streams. */
function serveStdio(): void {
  const { stdin, stdout } = process;
  stdout.on("error", () => process.exit());
  const lines = createInterface({ input: stdin });
  lines.on("close", () => process.exit());
  lines.on("line", (line) => {
    const request = parse(line);
    const write = (text: string) => writeTo(stdout, text);
    const peer: Peer = {
      isOpen: true,
      send: (message) => write(toLine(message)),
      write,
      writeBody: write,
      endBody: () => {},
      reply: (result) => write(toLine({ id: request.id, result })),
    };
    if (request.method === "server/discover") void peer.reply(HANDSHAKE);
    else if (isDeaf) {
      lines.pause();
      stdin.pause();
      // Keeps the process running, although it waits for nothing.
      setInterval(() => {}, 1_000);
    } else if (typeof request.method === "string" && !request.method.startsWith("notifications/"))
      void behavior(request, peer);
  });
}

function parse(text: string): HostileRequest {
  const { id, method, params = {} } = (text === "" ? {} : JSON.parse(text)) as Partial<HostileRequest>;
  return { id, method, params };
}

function toPeer(request: HostileRequest, response: ServerResponse): Peer {
  const open = (type: string) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": type });
  };
  const write = (text: string) => {
    open("text/event-stream");
    return writeTo(response, text);
  };
  return {
    get isOpen() {
      return !response.destroyed;
    },
    send: (message) => write(`data: ${toLine(message)}\n`),
    write,
    writeBody(text) {
      open("application/json");
      return writeTo(response, text);
    },
    endBody: () => void response.end(),
    reply(result) {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(toLine({ id: request.id, result }), { level: 1 }));
      return Promise.resolve();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

/** Responds to the handshake and to lists of a session, and to nothing else. */
async function serveLegacy({ id, method }: HostileRequest, response: ServerResponse): Promise<void> {
  const results: Readonly<Record<string, object>> = {
    initialize: { ...HANDSHAKE, protocolVersion: "2025-11-25" },
    "tools/list": { tools: [] },
  };
  const result = typeof method === "string" ? results[method] : undefined;
  if (result === undefined) response.writeHead(method === "server/discover" ? 400 : 202).end();
  else {
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
    await writeTo(response, toLine({ id, result }));
    response.end();
  }
}

/** Serves HTTP on a free port of this machine. */
async function serveHttp(): Promise<void> {
  let requests = 0;
  const http = createServer((incoming, response) => {
    requests++;
    void (async () => {
      const request = parse(await readBody(incoming));
      const peer = toPeer(request, response);
      if (isLegacy && incoming.method === "POST") await serveLegacy(request, response);
      else if (request.method === "server/discover") await peer.reply(HANDSHAKE);
      else if (isLegacy) await behavior(request, peer);
      else if (isRedirect) response.writeHead(307, { location: "/mcp" }).end();
      else if (request.method === undefined) {
        if (!isMute) response.writeHead(202).end();
      } else await behavior(request, peer);
    })().catch(() => response.destroy());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
  setInterval(() => void process.stdout.write(`${requests}\n`), 500);
}

if (mode === "stdio") serveStdio();
else await serveHttp();
