/**
 * @fileoverview Endpoints behind one interface: the Node handler on a loopback port, and the fetch handler in memory.
 * @module tools/attack/clients/endpoints
 */
import { Buffer } from "node:buffer";
import { Agent, request as httpRequest } from "node:http";
import type { ServerLike } from "tenon";
import { type HttpOptions, toFetch } from "tenon/fetch";
import { serve } from "tenon/node";
import type { WireReply, WireRequest } from "./messages.js";

/** Endpoint under attack. */
export interface Endpoint {
  readonly name: "node" | "fetch";
  /** Port. 0 for an endpoint in memory. */
  readonly port: number;
  /** Sends a request with exactly these headers. Never rejects. */
  send(request: WireRequest): Promise<WireReply>;
  /** Sends a request, and returns the response before its body is complete. */
  open(request: WireRequest): Promise<OpenReply>;
  close(): Promise<void>;
}

/** Response whose body may still arrive. */
export interface OpenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text that has arrived. */
  readonly text: () => string;
  /** Resolves when the body is complete. */
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** Time in milliseconds after which a response counts as complete. */
const MAX_MS = 120_000;

/** Opens a server on both kinds of endpoint. */
export async function openEndpoints(
  createServer: () => ServerLike<unknown>,
  options: HttpOptions<unknown> = {},
): Promise<readonly Endpoint[]> {
  return [await openNode(createServer(), options), openFetch(createServer(), options)];
}

/** Opens the Node handler on a free port. */
export async function openNode(
  server: ServerLike<unknown>,
  options: HttpOptions<unknown> = {},
): Promise<Endpoint> {
  const running = await serve(server, {
    ...options,
    transport: { type: "http", port: 0 },
    signals: false,
    banner: false,
    graceMs: 0,
  });
  const port = Number(new URL(running.url ?? "").port);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const open = (request: WireRequest) => openOnSocket(port, agent, request);
  return {
    name: "node",
    port,
    send: async (request) => {
      // The server may close an idle connection at the moment at which it is used again.
      for (let attempt = 1; ; attempt++) {
        const reply = await readAll(open(request));
        if (reply.status !== 0 || attempt === 3) return reply;
      }
    },
    open,
    async close() {
      agent.destroy();
      await running.close();
    },
  };
}

/** Opens the fetch handler in memory. */
export function openFetch(server: ServerLike<unknown>, options: HttpOptions<unknown> = {}): Endpoint {
  const handler = toFetch(server, options);
  const open = async ({ method = "POST", path = "/mcp", headers, body }: WireRequest): Promise<OpenReply> => {
    const stop = new AbortController();
    const lines = new Headers();
    for (const [name, value] of headers) lines.append(name, value);
    const init = { method, headers: lines, signal: stop.signal, ...(body === undefined ? {} : { body }) };
    return collect(await handler(new Request(`http://localhost${path}`, init)), () => stop.abort());
  };
  return {
    name: "fetch",
    port: 0,
    send: (request) => readAll(open(request)),
    open,
    close: () => handler.close(0),
  };
}

function collect(response: Response, stop: () => void): OpenReply {
  let text = "";
  const decoder = new TextDecoder();
  const read = async () => {
    try {
      for await (const chunk of response.body ?? [])
        text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // closed by this side
    }
  };
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: () => text,
    ended: read(),
    close: stop,
  };
}

function openOnSocket(port: number, agent: Agent, request: WireRequest): Promise<OpenReply> {
  const { method = "POST", path = "/mcp", headers, body } = request;
  const lines = headers.flatMap(([name, value]) => [name, value]);
  if (body !== undefined) lines.push("Content-Length", String(Buffer.byteLength(body)));
  return new Promise((resolve) => {
    const fail = () =>
      resolve({ status: 0, headers: {}, text: () => "", ended: Promise.resolve(), close() {} });
    // With a list of headers, Node sends exactly this list.
    const sent = httpRequest({ host: "127.0.0.1", port, method, path, agent, headers: lines }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      const ended = new Promise<void>((end) => {
        response.once("close", end);
      });
      const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(fields),
        text: () => text,
        ended,
        close: () => sent.destroy(),
      });
    });
    sent.once("error", fail);
    sent.end(body);
  });
}

/** Waits for a complete response. Closes a stream that does not end. */
async function readAll(opening: Promise<OpenReply>): Promise<WireReply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MAX_MS, undefined);
  });
  try {
    const reply = await Promise.race([opening, late]);
    if (reply === undefined) return { status: 0, headers: {}, body: `no response within ${MAX_MS} ms` };
    await Promise.race([reply.ended, late]);
    reply.close();
    return { status: reply.status, headers: reply.headers, body: reply.text() };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs an action for every item, with a limited number at the same time. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < items.length) await action(items[next++] as T); // Safe: the index is in range
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
}
