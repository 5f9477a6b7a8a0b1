/**
 * @fileoverview The one way of a request through an HTTP endpoint, whichever server it came in by: who may talk, who is
 * talking, what was said, and in which era it is answered.
 * @module transport/http/pipeline
 */
import { errorResponse, newErrorResponse } from "../../core/response.js";
import type { WireServer } from "../../core/server.js";
import { andThen, isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
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

/** How a step of a turn ends: with the turn, or with a callback that takes it on. */
type Step = void | typeof LATER;
const LATER = "later";

/** An endpoint that takes requests from any HTTP server. */
export class HttpPipeline<Context> {
  readonly options: ResolvedHttpOptions<Context>;
  readonly #shared: WireServer<Context> | undefined;
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #oldWire: OldWire<Context> | undefined;
  #lastHost: string | undefined;
  #lastAccept: string | null | undefined;
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

  /** Takes one request. Never throws. */
  take(request: HttpRequest, sink: HttpSink): void {
    const headers = corsHeaders(request.header("origin"), this.options.corsOrigins);
    const turn: HttpTurn = { request, sink, headers };
    // A call under way may wait for an answer that the client posts.
    if (this.#draining && !hasSession(request)) {
      refuse(turn, 503, STOPPING, STOPPING_HEADERS);
      return;
    }
    this.#underWay++;
    this.#step(turn, () => this.#route(turn));
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

  /** Runs one step of a turn, and ends the turn with it unless it goes on later. */
  #step(turn: HttpTurn, step: () => MaybePromise<Step>): void {
    try {
      const ended = step();
      if (isPromise(ended))
        ended.then(
          (late) => late ?? this.#end(),
          () => this.#fail(turn),
        );
      else if (ended === undefined) this.#end();
    } catch {
      this.#fail(turn);
    }
  }

  readonly #end = (): void => {
    if (--this.#underWay === 0) this.#onIdle?.();
  };

  /** A defect of ours, or a wire that broke while it was written to. */
  #fail({ sink, headers }: HttpTurn): void {
    try {
      sink.reply(500, newErrorResponse(null, "INTERNAL_ERROR", "Internal error"), headers);
    } finally {
      this.#end();
    }
  }

  #route(turn: HttpTurn): MaybePromise<Step> {
    const { request, sink, headers } = turn;
    const { corsOrigins, authenticate, context } = this.options;
    const access = this.#admit(request);
    if (!access.ok) return refuse(turn, access.status, access.reason);
    if (request.method === "OPTIONS" && corsOrigins !== undefined) {
      return sink.empty(204, preflightHeaders(headers, request.header("access-control-request-headers")));
    }
    if (!METHODS.has(request.method)) return sink.empty(405, { ...headers, allow: "POST, GET, DELETE" });
    if (authenticate === undefined) return this.#serve(turn, { auth: undefined, context });
    return andThen(authenticate(request), (found) => {
      if (!("status" in found)) {
        return this.#serve(turn, { auth: found.auth, context: found.context ?? context });
      }
      const refusal = newErrorResponse(null, "UNAUTHORIZED", found.message);
      return sink.reply(found.status, refusal, { ...headers, ...found.headers });
    });
  }

  /** A client sends the same Host with every request: the one that was let in last need not be taken apart again. */
  #admit(request: HttpRequest): Access {
    const { hosts, origins, corsOrigins } = this.options;
    const host = request.header("host");
    if (typeof host !== "string" || host !== this.#lastHost) {
      const access = checkHost(host, hosts);
      if (!access.ok) return access;
      this.#lastHost = host ?? undefined;
    }
    return corsOrigins === "*" ? PASS : checkOrigin(request.header("origin"), origins);
  }

  #serve(turn: HttpTurn, caller: Caller<Context>): MaybePromise<Step> {
    const { request, sink, headers } = turn;
    if (this.#oldWire?.takes(request) === true) return this.#oldWire.take(turn, caller);
    if (request.method === "POST") return this.#post(turn, caller);
    if (isRevisionOf("modern", request.header("mcp-protocol-version")?.trim())) {
      return sink.empty(405, { ...headers, allow: "POST" });
    }
    return request.method === "GET" ? this.#legacy.listen(turn, caller) : this.#legacy.end(turn, caller);
  }

  #post(turn: HttpTurn, caller: Caller<Context>): Step {
    const { request } = turn;
    const access = this.#checkForm(request);
    if (!access.ok) return refuse(turn, access.status, access.reason);
    request.readBody(
      this.options.limits.maxBytes,
      (body) => this.#step(turn, () => this.#read(body, turn, caller)),
      this.#end,
    );
    return LATER;
  }

  #read(body: string | Uint8Array | undefined, turn: HttpTurn, caller: Caller<Context>): MaybePromise<void> {
    const { limits } = this.options;
    if (body === undefined) {
      // The rest of the body is not read: the connection cannot be used again.
      return refuse(turn, 413, `message exceeds ${limits.maxBytes} bytes`, { connection: "close" });
    }
    const parsed = parseFrame(body, limits);
    if (parsed.ok) return this.#answer(parsed.value, turn, caller);
    return turn.sink.reply(400, newErrorResponse(null, parsed.error, parsed.reason), turn.headers);
  }

  /** As with the host, what was taken from the last request needs no second look. */
  #checkForm(request: HttpRequest): Access {
    const contentType = request.header("content-type");
    if (contentType !== "application/json") {
      const access = checkContentType(contentType);
      if (!access.ok) return access;
    }
    const accept = request.header("accept");
    if (accept === this.#lastAccept) return PASS;
    const access = checkAccept(accept);
    if (access.ok) this.#lastAccept = accept;
    return access;
  }

  /** Decides the era, body first: a broken stateless request is refused, and never taken for a legacy one. */
  #answer(value: unknown, turn: HttpTurn, caller: Caller<Context>): MaybePromise<void> {
    const { request, sink, headers } = turn;
    if (Array.isArray(value)) {
      const isMixed = value.some(
        (one) => messageKind(one) === "request" && hasEnvelope(one as JsonRpcRequest),
      );
      if (isMixed) return refuse(turn, 400, "a batch must not have stateless requests");
      return this.#legacy.post(value, "batch", turn, caller);
    }
    const kind = messageKind(value);
    const version = request.header("mcp-protocol-version")?.trim();
    if (
      kind === "notification" &&
      (isRevisionOf("modern", version) || hasEnvelope(value as JsonRpcRequest))
    ) {
      return sink.empty(202, headers);
    }
    if (kind === "invalid") {
      const message = describeInvalidMessage(value);
      return sink.reply(400, newErrorResponse(salvageId(value), "INVALID_REQUEST", message), headers);
    }
    if (kind !== "request") return this.#legacy.post(value, kind, turn, caller);
    if (this.#draining) return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
    const message = value as JsonRpcRequest; // its kind was just checked
    const era = classifyEra(message, version);
    if (era === "legacy") return this.#legacy.post(value, kind, turn, caller);
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

const METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set(["POST", "GET", "DELETE"]);
const PASS: Access = { ok: true };
const STOPPING = "The server is stopping";
const STOPPING_HEADERS = { "retry-after": "1", connection: "close" };

function hasSession(request: HttpRequest): boolean {
  return typeof request.header("mcp-session-id") === "string";
}
