/**
 * @fileoverview A bridge to fetch functions with an object that only looks like a `Request`. It flatters the frameworks
 * that are content with it, and is the best that they can be measured with: a real one costs more than they do.
 * @module bench/servers/light-bridge
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, RequestListener } from "node:http";
import { answer, type FetchFunction, readBody } from "./node-http.js";

/** A fetch function as a listener. */
export function lightBridge(handler: FetchFunction): RequestListener {
  return (incoming, outgoing) =>
    readBody(incoming, (body) => {
      const request = new LightRequest(incoming, body);
      void answer(handler(request as unknown as Request), outgoing); // as far as these frameworks look at it
    });
}

/** The same with light responses, too, in the whole process: what a framework's own code costs, and hardly more. */
export function lightestBridge(handler: FetchFunction): RequestListener {
  globalThis.Response = LightResponse as unknown as typeof Response; // as far as these frameworks use it
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
  const response = await handler(request as unknown as Request); // as far as these frameworks look at it
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
    // A stream is left to the real one.
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

/** A signal that nobody raises and that keeps no listeners. */
const NEVER = { aborted: false, addEventListener() {}, removeEventListener() {} };
