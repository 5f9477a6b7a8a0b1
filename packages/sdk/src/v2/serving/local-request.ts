/**
 * @fileoverview The application's request as Tenon's transport reads it. A real `Request` would have to be created for
 * each call, and its body would become a stream.
 * @module sdk/v2/serving/local-request
 */

/** Host that the transport allows. The application has checked the Host and Origin headers. */
export const LOCAL_HOST = "localhost";

const URL_TEXT = `http://${LOCAL_HOST}/`;

/**
 * Returns a view of the request for Tenon's transport, with a host that it allows and without an origin.
 *
 * @param parsedBody body that the application has already read
 */
export function toLocal(request: Request, parsedBody: unknown): Request {
  const text = parsedBody === undefined ? undefined : (JSON.stringify(parsedBody) ?? "");
  const headers = new LocalHeaders(request.headers, text !== undefined);
  const isReal = Object.getPrototypeOf(request) === Request.prototype;
  // Safe: the transport reads only these members.
  if (!isReal) return new LightweightRequest(request, headers, text) as unknown as Request;
  // The transport recognizes a real request by its prototype, and reads its body in limited chunks.
  return Object.create(Request.prototype, {
    method: { value: "POST" },
    url: { value: URL_TEXT },
    headers: { value: headers },
    signal: { get: () => request.signal },
    body: { value: text === undefined ? request.body : new Response(text).body },
  }) as Request; // Safe: as above
}

/** Headers of a request, without those that the application has checked. */
class LocalHeaders {
  readonly #headers: Headers;
  readonly #isParsed: boolean;

  constructor(headers: Headers, isParsed: boolean) {
    this.#headers = headers;
    this.#isParsed = isParsed;
  }

  get(name: string): string | null {
    if (name === "host" || name === "origin" || (this.#isParsed && name === "content-length")) return null;
    return this.#headers.get(name);
  }
}

/** View of a request that a bridge from Node creates instead of a real one. */
class LightweightRequest {
  readonly method = "POST";
  readonly url = URL_TEXT;
  readonly headers: LocalHeaders;
  readonly #request: Request;
  readonly #text: string | undefined;

  constructor(request: Request, headers: LocalHeaders, text: string | undefined) {
    this.headers = headers;
    this.#request = request;
    this.#text = text;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get body(): Request["body"] {
    return this.#text === undefined ? this.#request.body : new Response(this.#text).body;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#text === undefined ? this.#request.arrayBuffer() : new Response(this.#text).arrayBuffer();
  }
}
