/**
 * @fileoverview A bridge to fetch functions with an object that imitates a `Request`. It favors the frameworks that
 * accept it, and is the fairest way to measure them: a real `Request` costs more than they do.
 * @module bench/servers/light-bridge
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, RequestListener } from "node:http";
import { answer, type FetchFunction, readBody } from "./node-http.js";

/** Converts a fetch function to a listener. */
export function lightBridge(handler: FetchFunction): RequestListener {
  return (incoming, outgoing) =>
    readBody(incoming, (body) => {
      const request = new LightRequest(incoming, body);
      void answer(handler(request as unknown as Request), outgoing); // has the members that these frameworks use
    });
}

/** The same, with imitated responses in the whole process: little more than the cost of a framework's own code. */
export function lightestBridge(handler: FetchFunction): RequestListener {
  globalThis.Response = LightResponse as unknown as typeof Response; // has the members that these frameworks use
  return (incoming, outgoing) =>
    readBody(incoming, (body) => {
      void respond(handler, new LightRequest(incoming, body), outgoing);
    });
}

async function respond(
  handler: FetchFunction,
  request: LightRequest,
  outgoing: Parameters<RequestListener>[1],
): Promise<void> {
  const response = await handler(request as unknown as Request); // has the members that these frameworks use
  if (!(response instanceof LightResponse)) {
    await answer(response, outgoing);
    return;
  }
  const { status, content, fields } = response as LightResponse;
  outgoing.writeHead(status, { ...fields, "content-length": Buffer.byteLength(content) });
  outgoing.end(content);
}

interface LightInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const RealResponse = globalThis.Response;

class LightResponse {
  readonly status: number;
  readonly content: string;
  readonly fields: LightInit["headers"];

  constructor(body?: string | null | object, init?: LightInit) {
    this.status = init?.status ?? 200;
    this.fields = init?.headers;
    this.content = typeof body === "string" ? body : "";
    // Streams use the real class.
    if (typeof body === "object" && body !== null) {
      return new RealResponse(body as ReadableStream, init) as unknown as LightResponse;
    }
  }
}

class LightRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly signal = NEVER;
  readonly #body: Buffer;

  constructor({ method, headers, url }: IncomingMessage, body: Buffer) {
    this.method = method ?? "GET";
    this.url = `http://${headers.host ?? "127.0.0.1"}${url ?? "/"}`;
    this.headers = { get: (name) => (headers[name.toLowerCase()] as string | undefined) ?? null };
    this.#body = body;
  }

  async text(): Promise<string> {
    return this.#body.toString();
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#body.toString());
  }

  clone(): LightRequest {
    return this;
  }
}

/** A signal that never aborts and keeps no listeners. */
const NEVER = { aborted: false, addEventListener() {}, removeEventListener() {} };
