/**
 * @fileoverview Sends HTTP requests with `fetch`, and repeats those that have not reached the server.
 * @module tenon/client/transports/http-sender
 */
import { codeOf, isOutOfMemory } from "@tenon/internal/thrown";
import { ConnectionError } from "../errors.js";
import { delay } from "./delay.js";

/** Function that sends HTTP requests. */
export type Fetch = typeof globalThis.fetch;

/** Target of the requests. */
export interface SenderOptions {
  readonly url: URL;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch: Fetch | undefined;
  /** Repeats requests, once the server has responded for the first time. */
  readonly reconnect: boolean;
}

/** Request to send. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  readonly body?: string;
  /** True if the request can be repeated, although the server may have received it. */
  readonly isRepeatable?: boolean;
}

/** Delays before each further attempt, in milliseconds. A server that restarts is often back within seconds. */
const DELAYS_MS = [50, 100, 200, 400, 800, 1_600, 3_200];

/** Sends requests to one endpoint. */
export class HttpSender {
  readonly #options: SenderOptions;
  /** True once the server has responded. Before that, a failure is reported at once: the URL may be wrong. */
  #hasResponded = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends a request. @throws {ConnectionError} if the server cannot be reached */
  async send(request: SentRequest): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await this.#fetch(request);
        this.#hasResponded = true;
        return response;
      } catch (error) {
        if (request.signal?.aborted === true) throw error;
        const ms = DELAYS_MS[attempt];
        if (ms === undefined || !this.#canRepeat(request, error)) throw unreachable(error);
        await delay(ms, request.signal);
      }
    }
  }

  #canRepeat({ isRepeatable = false }: SentRequest, error: unknown): boolean {
    if (!this.#options.reconnect || !this.#hasResponded) return false;
    return isRepeatable || NOT_SENT.has(systemCodeOf(error) ?? "");
  }

  #fetch({ method, headers, signal, body }: SentRequest): Promise<Response> {
    const { url, fetch: send = globalThis.fetch } = this.#options;
    return send(url, {
      method,
      headers,
      // Following a redirect could send the token to a different server.
      redirect: "manual",
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body }),
    });
  }
}

/** Codes of Node.js for requests that the server has not received. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function unreachable(error: unknown): ConnectionError {
  const reason = systemCodeOf(error) ?? "the connection failed";
  const text = isOutOfMemory(error instanceof Error ? error.cause : undefined)
    ? "Could not send the request: not enough memory. Raise the memory limit of this process or its container."
    : `Could not reach the server: ${reason}. Check the URL and that the server is running.`;
  return new ConnectionError(text, { code: "unreachable", cause: error });
}

/** Returns Node's error code, such as ECONNREFUSED. Its messages are not used, because they may contain the URL. */
function systemCodeOf(error: unknown): string | undefined {
  const code = codeOf(error instanceof Error ? error.cause : undefined);
  return typeof code === "string" ? code : undefined;
}
