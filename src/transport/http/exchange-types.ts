/**
 * @fileoverview What the request pipeline needs of an HTTP server, so that `node:http` and web `fetch` can each give it
 * in their own way.
 * @module transport/http/exchange-types
 */
import type { Auth } from "../../core/exchange.js";
import type { Reply } from "../../core/receive.js";
import type { HeaderReader } from "../../protocol/index.js";
import type { EventSink } from "../../session/event-stream.js";

/** A request, before its body is read. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Looks a header up by its lower-case name. */
  readonly header: HeaderReader;
  /** Aborts when the client is gone; made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Whether the client is gone already. */
  readonly isGone: boolean;
  /**
   * Reads the body and hands it on: nothing where it is longer than `limit`, whatever its header said. By callbacks,
   * because a promise for each request is a twentieth of its cost.
   *
   * @param onGone instead, where the client left before all of it came
   */
  readBody(limit: number, onBody: (body: string | Uint8Array | undefined) => void, onGone: () => void): void;
}

/** Response headers, in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

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

/** Where the reply goes. One of these is called, once. */
export interface HttpSink {
  /** A JSON-RPC reply, or those of a batch. */
  reply(status: number, reply: Reply, headers?: HttpHeaders): void;
  /** Any other JSON, already text. */
  json(status: number, text: string, headers?: HttpHeaders): void;
  /** No body. */
  empty(status: number, headers?: HttpHeaders): void;
  /** An event stream. */
  stream(headers?: HttpHeaders): SseSink;
  /** Nobody is there to reply to. */
  abandon(): void;
}

/** Who is calling, and the application's value for them. */
export interface Caller<Context> {
  readonly auth: Auth | undefined;
  readonly context: Context;
}

/** One request's way in and out. */
export interface HttpTurn {
  readonly request: HttpRequest;
  readonly sink: HttpSink;
  /** Go with every reply. */
  readonly headers: HttpHeaders;
}
