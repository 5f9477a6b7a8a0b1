/**
 * @fileoverview One request's way in and out, so that `node:http` and web `fetch` can each give it in their own way.
 * @module transport/http/http-context
 */
import type { Auth } from "../../core/wire/exchange.js";
import type { Reply } from "../../core/wire/receive.js";
import type { EventSink } from "../../session/event-stream.js";

/** Response headers, in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** No headers at all, the same object every time: what writes headers knows it. */
export const NO_HEADERS: HttpHeaders = /* @__PURE__ */ Object.freeze({});

/** The authenticated caller of a request, and the application's value for it. */
export interface HttpCaller<Context> {
  readonly auth: Auth | undefined;
  readonly context: Context;
}

/**
 * A body: text, or bytes that have yet to be decoded. `undefined` if it was too long, `null` if it was given up because
 * too many bodies were arriving at once.
 */
export type HttpBody = string | Uint8Array | undefined | null;

/** An open event stream to one client. */
export interface SseSink extends EventSink {
  /** Sends an event; without id in revisions that have no resumption. */
  write(data: string, id?: string): Promise<void> | undefined;
  /** Opens the stream for polling: an id to come back with, and when. */
  prime(id: string, retryMs: number): void;
  /** Sends an event of another type than a message. */
  announce(event: string, data: string): void;
  /** Keeps proxies from closing a quiet stream. */
  keepAlive(): void;
  /** Runs when the client is gone. */
  onClose(task: () => void): void;
}

/**
 * A request and the response to it. It is one object with methods, and its body comes by a callback that is made once:
 * each object, closure and promise that a request needs besides is a hundredth of its cost.
 */
export abstract class HttpContext<Context> {
  abstract readonly method: string;
  /** Path and query. */
  abstract readonly url: string;
  // The headers that every request is judged by.
  abstract readonly host: string | null | undefined;
  abstract readonly origin: string | null | undefined;
  abstract readonly contentType: string | null | undefined;
  abstract readonly accept: string | null | undefined;
  /** The protocol revision that it says it speaks. */
  abstract readonly version: string | null | undefined;
  abstract readonly sessionId: string | null | undefined;
  /** Aborts when the client is gone; made when it is first asked for. */
  abstract readonly signal: AbortSignal;
  /** True if the client is gone already. */
  abstract readonly isGone: boolean;
  /** Go with every reply. */
  headers: HttpHeaders = NO_HEADERS;
  /** The caller, as far as it is known. */
  caller: HttpCaller<Context>;
  /** Length of the message that the core is given: characters of text, or bytes. */
  messageLength = 0;

  constructor(caller: HttpCaller<Context>) {
    this.caller = caller;
  }

  /** Looks any header up by its lower-case name. */
  abstract header(name: string): string | null | undefined;

  /** Reads the body and hands it on: nothing where it is longer than `limit`, whatever its header said. */
  abstract readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void;

  /** Counts this request among the calls of its connection that wait for their handlers. */
  abstract beginCall(): void;

  /** Ends that. */
  abstract endCall(): void;

  // Where the reply goes: one of these is called, once.

  /** A JSON-RPC reply, or those of a batch. */
  abstract reply(status: number, reply: Reply): void;

  /** A document that is no JSON-RPC reply. */
  abstract json(status: number, text: string): void;

  /** No body. */
  abstract empty(status: number): void;

  /** An event stream. */
  abstract stream(): SseSink;

  /** Nobody is there to reply to. */
  abstract abandon(): void;

  /** Adds headers to the reply. */
  with(headers: HttpHeaders): this {
    this.headers = { ...this.headers, ...headers };
    return this;
  }
}
