/**
 * @fileoverview The one way of a request through an HTTP endpoint, whichever server it came in by: who may talk, who is
 * talking, what was said, and in which era it is answered.
 * @module transport/http/pipeline
 */
import { errorResponse, newErrorResponse } from "../../core/response.js";
import type { WireServer } from "../../core/server.js";
import {
  classifyEra,
  describeInvalidMessage,
  hasEnvelope,
  isRevisionOf,
  type JsonRpcRequest,
  messageKind,
  parseFrame,
  salvageId,
} from "../../protocol/index.js";
import { type Access, checkAccept, checkContentType, checkHost, checkOrigin } from "./access.js";
import { corsHeaders, preflightHeaders } from "./cors.js";
import type { Caller, HttpRequest, HttpSink, HttpTurn } from "./exchange-types.js";
import { LegacyEndpoint, refuse } from "./legacy.js";
import { answerModern } from "./modern.js";
import { OldWire } from "./old-wire.js";
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from "./options.js";
import { type ServerSource, sharedSource } from "./server-source.js";

/** An endpoint that takes requests from any HTTP server. */
export class HttpPipeline<Context> {
  readonly options: ResolvedHttpOptions<Context>;
  readonly #shared: WireServer<Context> | undefined;
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #oldWire: OldWire<Context> | undefined;
  #underWay = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(server: WireServer<Context> | ServerSource<Context>, options: HttpOptions<Context> = {}) {
    const source = "handle" in server ? sharedSource(server) : server;
    this.#shared = source.shared;
    this.options = resolveHttpOptions(options);
    this.#legacy = new LegacyEndpoint(source, this.options);
    this.#oldWire = this.options.legacySse ? new OldWire(this.#legacy, this.options) : undefined;
  }

  /** How many requests are under way, streams that listen not counted. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Takes one request. Never throws, never rejects. */
  async take(request: HttpRequest, sink: HttpSink): Promise<void> {
    const headers = corsHeaders(request.header("origin"), this.options.corsOrigins);
    const turn: HttpTurn = { request, sink, headers };
    // A call under way may wait for an answer that the client posts.
    if (this.#draining && !hasSession(request)) {
      return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
    }
    this.#underWay++;
    try {
      await this.#route(turn);
    } catch {
      // A defect of ours, or a wire that broke while it was written to.
      sink.reply(500, newErrorResponse(null, "INTERNAL_ERROR", "Internal error"), headers);
    } finally {
      if (--this.#underWay === 0) this.#onIdle?.();
    }
    return undefined;
  }

  /** Refuses new requests, and waits for those under way, for as long as `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        const stop = this.options.ports.startTimer(resolve, graceMs);
        this.#onIdle = () => {
          stop();
          resolve();
        };
      });
    }
    this.#legacy.sessions.close();
  }

  async #route(turn: HttpTurn): Promise<void> {
    const { request, sink, headers } = turn;
    const { hosts, origins, corsOrigins } = this.options;
    const origin = request.header("origin");
    const access = firstRefusal(
      checkHost(request.header("host"), hosts),
      corsOrigins === "*" ? PASS : checkOrigin(origin, origins),
    );
    if (!access.ok) return refuse(turn, access.status, access.reason);
    if (request.method === "OPTIONS" && corsOrigins !== undefined) {
      return sink.empty(204, preflightHeaders(headers, request.header("access-control-request-headers")));
    }
    if (!["POST", "GET", "DELETE"].includes(request.method)) {
      return sink.empty(405, { ...headers, allow: "POST, GET, DELETE" });
    }
    const caller = await this.#authenticate(turn);
    if (caller === undefined) return undefined;
    if (this.#oldWire?.takes(request) === true) return this.#oldWire.take(turn, caller);
    if (request.method === "POST") return this.#post(turn, caller);
    if (isRevisionOf("modern", request.header("mcp-protocol-version")?.trim())) {
      return sink.empty(405, { ...headers, allow: "POST" });
    }
    return request.method === "GET" ? this.#legacy.listen(turn, caller) : this.#legacy.end(turn, caller);
  }

  async #authenticate({ request, sink, headers }: HttpTurn): Promise<Caller<Context> | undefined> {
    const { authenticate, context } = this.options;
    if (authenticate === undefined) return { auth: undefined, context };
    const found = await authenticate(request);
    if ("status" in found) {
      const refusal = newErrorResponse(null, "UNAUTHORIZED", found.message);
      sink.reply(found.status, refusal, { ...headers, ...found.headers });
      return undefined;
    }
    return { auth: found.auth, context: found.context ?? context };
  }

  async #post(turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const { request, sink, headers } = turn;
    const access = firstRefusal(
      checkContentType(request.header("content-type")),
      checkAccept(request.header("accept")),
    );
    if (!access.ok) return refuse(turn, access.status, access.reason);
    const { limits } = this.options;
    const body = await request.readBody(limits.maxBytes);
    if (body === undefined) {
      // The rest of the body is not read: the connection cannot be used again.
      return refuse(turn, 413, `message exceeds ${limits.maxBytes} bytes`, { connection: "close" });
    }
    const parsed = parseFrame(body, limits);
    if (!parsed.ok) return sink.reply(400, newErrorResponse(null, parsed.error, parsed.reason), headers);
    return this.#answer(parsed.value, turn, caller);
  }

  /** Decides the era, body first: a broken stateless request is refused, and never taken for a legacy one. */
  async #answer(value: unknown, turn: HttpTurn, caller: Caller<Context>): Promise<void> {
    const { request, sink, headers } = turn;
    const kind = messageKind(value);
    const version = request.header("mcp-protocol-version")?.trim();
    if (Array.isArray(value)) {
      const isMixed = value.some(
        (one) => messageKind(one) === "request" && hasEnvelope(one as JsonRpcRequest),
      );
      if (isMixed) return refuse(turn, 400, "a batch must not have stateless requests");
      return this.#legacy.post(value, turn, caller);
    }
    const isModernVersion = isRevisionOf("modern", version);
    if (kind === "notification" && (isModernVersion || hasEnvelope(value as JsonRpcRequest))) {
      return sink.empty(202, headers);
    }
    if (kind === "invalid") {
      const message = describeInvalidMessage(value);
      return sink.reply(400, newErrorResponse(salvageId(value), "INVALID_REQUEST", message), headers);
    }
    if (kind !== "request") return this.#legacy.post(value, turn, caller);
    if (this.#draining) return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
    const message = value as JsonRpcRequest; // its kind was just checked
    const era = classifyEra(message, version);
    if (era === "legacy") return this.#legacy.post(value, turn, caller);
    if (this.#shared === undefined)
      return refuse(turn, 400, "this endpoint speaks revisions that open with initialize");
    if (era === "modern") return answerModern(this.#shared, this.options, message, turn, caller);
    const { error, reason, details } = era;
    const refusal = errorResponse(message.id ?? null, {
      error,
      message: reason,
      data: details,
      era: "modern",
    });
    return sink.reply(refusal.status, refusal, headers);
  }
}

const PASS: Access = { ok: true };
const STOPPING = "The server is stopping";
const STOPPING_HEADERS = { "retry-after": "1", connection: "close" };

function hasSession(request: HttpRequest): boolean {
  return typeof request.header("mcp-session-id") === "string";
}

function firstRefusal(...checks: readonly Access[]): Access {
  return checks.find((check) => !check.ok) ?? PASS;
}
