/**
 * @fileoverview One HTTP request and its response, independent of `node:http` and web `fetch`.
 * @module tenon/transport/http/http-context
 */
import { type Auth, onAbort } from "../../core/wire/exchange.js";
import type { Reply } from "../../core/wire/receive.js";
import type { ResumableSink } from "../../session/sessions.js";
import type { CredentialLifetime } from "./limits/credential-lifetime.js";

/** Response headers with lower-case names. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** Empty headers. A shared object, so that writers can compare by identity. */
export const NO_HEADERS: HttpHeaders = /* @__PURE__ */ Object.freeze({});

/** Headers of the last response on a connection. */
export const CLOSE_HEADERS: HttpHeaders = /* @__PURE__ */ Object.freeze({ connection: "close" });

/** Authenticated caller of a request, the lifetime of its credentials, and the application's context value for it. */
export interface HttpCaller<Context> extends Required<CredentialLifetime> {
  readonly auth: Auth | undefined;
  readonly context: Context;
}

/**
 * Request body: text, or bytes that are not decoded yet. `undefined` if the body was too long, `null` if it was dropped
 * to free memory for other requests.
 */
export type HttpBody = string | Uint8Array | undefined | null;

/** Open event stream to one client. */
export interface SseSink extends ResumableSink {
  /** Sends an event. The ID is omitted in revisions without resumption. */
  write(data: string, id?: string): Promise<void> | undefined;
  /** Sends an event whose type is not `message`. */
  announce(event: string, data: string): void;
  /** Sends a comment, so that proxies do not close an idle stream. */
  keepAlive(): void;
  /** Ends the stream now. Events that the client has not taken are dropped, and `data` is sent as the last event. */
  cut(data?: string): void;
  /** Runs a task when the client disconnects. */
  onClose(task: () => void): void;
}

/**
 * One request and its response, as a single object with methods. The body is passed to a callback that is created once.
 * Each additional object, closure, or promise would add about 1% to the cost of a request.
 */
export abstract class HttpContext<Context> {
  abstract readonly method: string;
  /** Request path and query. */
  abstract readonly url: string;
  // Headers that are checked on every request.
  abstract readonly host: string | null | undefined;
  abstract readonly origin: string | null | undefined;
  abstract readonly contentType: string | null | undefined;
  abstract readonly accept: string | null | undefined;
  /** Protocol revision from the request header. */
  abstract readonly version: string | null | undefined;
  abstract readonly sessionId: string | null | undefined;
  /** Aborts when the client disconnects. Created on first use. */
  abstract readonly signal: AbortSignal;
  /** True if the client has disconnected. */
  abstract readonly isGone: boolean;
  /** Headers sent with every response. */
  headers: HttpHeaders = NO_HEADERS;
  /** Caller of the request. Anonymous until authentication has succeeded. */
  caller: HttpCaller<Context>;
  /** Length of the message passed to the core, in characters if it is text, otherwise in bytes. */
  messageLength = 0;

  constructor(caller: HttpCaller<Context>) {
    this.caller = caller;
  }

  /**
   * Calls `task` once with the reason when the client disconnects, or at once if it already has. Returns a function that
   * stops this.
   */
  onGone(task: (reason: unknown) => void): (() => void) | undefined {
    return onAbort(this.signal, task);
  }

  /** Returns a header by its lower-case name. */
  abstract header(name: string): string | null | undefined;

  /**
   * Reads the body and passes it to `onBody`. Passes `undefined` if the body exceeds `limit` bytes, whatever
   * Content-Length says.
   */
  abstract readBody(limit: number, onBody: (context: this, body: HttpBody) => void): void;

  /** Counts this request as a call in flight on its connection. */
  abstract beginCall(): void;

  /** Ends the call counted by `beginCall`. */
  abstract endCall(): void;

  // Response methods. Exactly one of them is called, exactly once.

  /** Sends a JSON-RPC response, or the responses of a batch. */
  abstract reply(status: number, reply: Reply): void;

  /**
   * Sends a response after which the connection closes. It stays open if the client has already sent further requests
   * and the adapter can detect them.
   */
  replyLast(status: number, reply: Reply): void {
    this.with(CLOSE_HEADERS).reply(status, reply);
  }

  /** Sends a JSON document that is not a JSON-RPC response. */
  abstract json(status: number, text: string): void;

  /** Sends a response without a body. */
  abstract empty(status: number): void;

  /**
   * Starts an event stream.
   *
   * @param isPrimed true if the first event is about to be stored. The headers are then sent with it if the adapter can,
   * because a client that has no event ID cannot resume the stream, and the official one would wait for its timeout.
   */
  abstract stream(isPrimed?: boolean): SseSink;

  /** Drops the request because the client has disconnected, or the call was cancelled. */
  abstract abandon(): void;

  /** Adds headers to the response. */
  with(headers: HttpHeaders): this {
    this.headers = { ...this.headers, ...headers };
    return this;
  }
}
