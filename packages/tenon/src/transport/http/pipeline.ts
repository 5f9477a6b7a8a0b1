/**
 * @fileoverview The one way of a request through an HTTP endpoint, whichever server it came in by: who may talk, who is
 * talking, what was said, and in which era it is answered.
 * @module transport/http/pipeline
 */
import { errorResponse, newErrorResponse } from "../../core/wire/response.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
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
import { type Access, checkAccept, checkContentType, checkHost, checkPage } from "./access.js";
import type { Authenticated, RequestInfo } from "./authorization.js";
import { corsHeaders, preflightHeaders, PUBLIC_HEADERS } from "./cors.js";
import { LegacyEndpoint, refuse } from "./legacy.js";
import { MemoryBudget } from "./limits/memory-budget.js";
import { answerModern } from "./modern.js";
import {
  BUSY_HEADERS,
  LegacySseTransport,
  startsWork,
  STOPPING,
  STOPPING_HEADERS,
  TOO_MANY_BODIES,
} from "./legacy-sse-transport.js";
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from "./options.js";
import { Pipelining } from "./limits/pipelining.js";
import { type ServerSource, sharedSource } from "./server-source.js";
import type { Caller, HttpBody, HttpContext } from "./http-context.js";

/** An endpoint that takes requests from any HTTP server. */
export class HttpPipeline<Context> {
  readonly options: ResolvedHttpOptions<Context>;
  /** Who is calling where nobody is asked. */
  readonly anyone: Caller<Context>;
  /** Bodies that are incomplete. */
  readonly requests: MemoryBudget;
  /** Responses that their clients have not read. */
  readonly responses: MemoryBudget;
  /** Requests that wait behind others of their connection. */
  readonly pipelining: Pipelining;
  readonly #shared: HostedServer<Context> | undefined;
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #legacySse: LegacySseTransport<Context> | undefined;
  #lastHost: string | undefined;
  #lastAccept: string | null | undefined;
  #legacyVersion: string | null | undefined = undefined;
  #inFlight = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(server: HostedServer<Context> | ServerSource<Context>, options: HttpOptions<Context> = {}) {
    const source = "handle" in server ? sharedSource(server) : server;
    this.#shared = source.shared;
    this.options = resolveHttpOptions(options);
    this.anyone = { auth: undefined, context: this.options.context };
    const { ports, maxRequestBytes, maxResponseBytes, writeTimeoutMs } = this.options;
    this.requests = new MemoryBudget(ports, { maxBytes: maxRequestBytes });
    this.responses = new MemoryBudget(ports, { maxBytes: maxResponseBytes, timeoutMs: writeTimeoutMs });
    this.pipelining = new Pipelining(this.options.maxCallsPerConnection);
    this.#legacy = new LegacyEndpoint(source, this.options);
    this.#legacySse = this.options.legacySse ? new LegacySseTransport(this.#legacy, this.options) : undefined;
  }

  /** How many requests are being answered, streams that listen not counted. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes one request. Never throws. */
  take(turn: HttpContext<Context>): void {
    const { corsOrigins } = this.options;
    if (corsOrigins !== undefined) turn.headers = corsHeaders(turn.origin, corsOrigins);
    // A call under way may wait for an answer that the client posts.
    if (this.#draining && !this.#hasSession(turn)) refuse(turn, 503, STOPPING, STOPPING_HEADERS);
    else {
      try {
        const ending = this.#route(turn);
        if (isPromise(ending)) this.#await(turn, ending);
      } catch {
        fail(turn);
      }
    }
  }

  /** Refuses new requests, and waits for those under way, for as long as `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    if (this.#inFlight > 0) {
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

  /** What waits counts as under way until it has ended; while a body is read, nothing does. */
  #await(turn: HttpContext<Context>, ending: Promise<void>): void {
    this.#inFlight++;
    turn.beginCall();
    const end = () => {
      turn.endCall();
      if (--this.#inFlight === 0) this.#onIdle?.();
    };
    ending.catch(() => fail(turn)).then(end, end);
  }

  #route(turn: HttpContext<Context>): MaybePromise<void> {
    const { corsOrigins, authenticate, authorization } = this.options;
    const { metadata } = authorization ?? {};
    if (metadata?.paths.has(pathOf(turn.url)) === true) return publish(turn, metadata.json);
    const access = this.#admit(turn);
    if (!access.ok) return refuse(turn, access.status, access.reason);
    if (turn.method === "OPTIONS" && corsOrigins !== undefined) {
      turn.headers = preflightHeaders(turn.headers, turn.header("access-control-request-headers"));
      return turn.empty(204);
    }
    if (!METHODS.has(turn.method)) return turn.with({ allow: "POST, GET, DELETE" }).empty(405);
    if (authenticate === undefined) return this.#serve(turn);
    const asked = authenticate(new TurnInfo(turn));
    return isPromise(asked)
      ? asked.then((found) => (turn.isGone ? turn.abandon() : this.#serveFound(turn, found)))
      : this.#serveFound(turn, asked);
  }

  #serveFound(turn: HttpContext<Context>, found: Authenticated<Context>): MaybePromise<void> {
    if (!("status" in found)) {
      turn.caller = { auth: found.auth, context: found.context ?? this.options.context };
      return this.#serve(turn);
    }
    if (found.headers !== undefined) turn.with(found.headers);
    return turn.reply(found.status, newErrorResponse(null, "UNAUTHORIZED", found.message));
  }

  /** A client sends the same Host with every request: the one that was let in last need not be taken apart again. */
  #admit(turn: HttpContext<Context>): Access {
    const { hosts, origins, corsOrigins } = this.options;
    const host = turn.host;
    if (typeof host !== "string" || host !== this.#lastHost) {
      const access = checkHost(host, hosts);
      if (!access.ok) return access;
      this.#lastHost = host ?? undefined;
    }
    return corsOrigins === "*" ? PASS : checkPage(turn.origin, origins);
  }

  #serve(turn: HttpContext<Context>): MaybePromise<void> {
    if (this.#legacySse?.takes(turn) === true) return this.#serveOld(this.#legacySse, turn);
    if (turn.method === "POST") return this.#post(turn);
    if (isRevisionOf("modern", turn.version?.trim())) {
      return turn.with({ allow: "POST" }).empty(405);
    }
    return turn.method === "GET" ? this.#legacy.listen(turn) : this.#legacy.end(turn);
  }

  #serveOld(wire: LegacySseTransport<Context>, turn: HttpContext<Context>): MaybePromise<void> {
    if (turn.method === "GET") {
      return this.#draining ? refuse(turn, 503, STOPPING, STOPPING_HEADERS) : wire.open(turn);
    }
    if (!wire.admits(turn)) return undefined;
    return turn.readBody(this.options.limits.maxBytes, (_turn, body) =>
      this.#await(turn, wire.answer(turn, body, !this.#draining)),
    );
  }

  /** Whether a request belongs to what is there already; those of the first transport say so in their address. */
  #hasSession(turn: HttpContext<Context>): boolean {
    return (
      typeof turn.sessionId === "string" || (turn.method === "POST" && this.#legacySse?.takes(turn) === true)
    );
  }

  #post(turn: HttpContext<Context>): void {
    const access = this.#checkForm(turn);
    if (access.ok) turn.readBody(this.options.limits.maxBytes, this.#onBody);
    else refuse(turn, access.status, access.reason);
  }

  readonly #onBody = (turn: HttpContext<Context>, body: HttpBody): void => {
    try {
      const ending = this.#read(turn, body);
      if (isPromise(ending)) this.#await(turn, ending);
    } catch {
      fail(turn);
    }
  };

  /** As with the host, what was taken from the last request needs no second look. */
  #checkForm(turn: HttpContext<Context>): Access {
    const contentType = turn.contentType;
    if (contentType !== "application/json") {
      const access = checkContentType(contentType);
      if (!access.ok) return access;
    }
    const accept = turn.accept;
    if (accept === this.#lastAccept) return PASS;
    const access = checkAccept(accept);
    if (access.ok) this.#lastAccept = accept;
    return access;
  }

  #read(turn: HttpContext<Context>, body: HttpBody): MaybePromise<void> {
    const { limits } = this.options;
    if (body === undefined) {
      // The rest of the body is not read: the connection cannot be used again.
      return refuse(turn, 413, `message exceeds ${limits.maxBytes} bytes`, { connection: "close" });
    }
    if (body === null) return refuse(turn, 503, TOO_MANY_BODIES, BUSY_HEADERS);
    turn.messageLength = body.length;
    const parsed = parseFrame(body, limits);
    if (parsed.ok) return this.#answer(parsed.value, turn);
    return turn.reply(400, newErrorResponse(null, parsed.error, parsed.reason));
  }

  /** Decides the era, body first: a broken stateless request is refused, and never taken for a legacy one. */
  #answer(value: unknown, turn: HttpContext<Context>): MaybePromise<void> {
    const kind = messageKind(value);
    if (kind === "request") {
      if (this.#draining) return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
      return this.#answerRequest(value as JsonRpcRequest, turn); // its kind was just checked
    }
    if (Array.isArray(value)) {
      const isMixed = value.some(
        (one) => messageKind(one) === "request" && hasEnvelope(one as JsonRpcRequest),
      );
      if (isMixed) return refuse(turn, 400, "a batch must not have stateless requests");
      turn.messageLength /= Math.max(value.length, 1);
      if (this.#draining && startsWork(value)) return refuse(turn, 503, STOPPING, STOPPING_HEADERS);
      return this.#legacy.post(value, "batch", turn);
    }
    if (kind === "invalid") {
      const message = describeInvalidMessage(value);
      return turn.reply(400, newErrorResponse(salvageId(value), "INVALID_REQUEST", message));
    }
    const version = turn.version?.trim();
    const isModern = isRevisionOf("modern", version) || hasEnvelope(value as JsonRpcRequest);
    if (kind === "notification" && isModern) return turn.empty(202);
    return this.#legacy.post(value, kind, turn);
  }

  #answerRequest(message: JsonRpcRequest, turn: HttpContext<Context>): MaybePromise<void> {
    const { version } = turn;
    // A version that was found to be of the legacy eras leaves the body to decide.
    const isLegacy = version === this.#legacyVersion && !hasEnvelope(message);
    const era = isLegacy ? "legacy" : classifyEra(message, version ?? undefined);
    if (!isLegacy && era === "legacy") this.#legacyVersion = version;
    if (era === "legacy") return this.#legacy.post(message, "request", turn);
    if (this.#shared === undefined)
      return refuse(turn, 400, "this endpoint speaks revisions that open with initialize");
    if (era === "modern") return answerModern(this.#shared, this.options, message, turn);
    const { error, reason, details } = era;
    const refusal = errorResponse(message.id ?? null, {
      error,
      message: reason,
      data: details,
      era: "modern",
    });
    return turn.reply(refusal.status, refusal);
  }
}

/** What `authenticate` is told. The reader of headers is made for those who ask for one. */
class TurnInfo implements RequestInfo {
  readonly method: string;
  readonly url: string;
  private readonly turn: HttpContext<unknown>;

  constructor(turn: HttpContext<unknown>) {
    this.method = turn.method;
    this.url = turn.url;
    this.turn = turn;
  }

  get header(): RequestInfo["header"] {
    const { turn } = this;
    return (name) => turn.header(name.toLowerCase());
  }
}

const METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set(["POST", "GET", "DELETE"]);
const PASS: Access = { ok: true };

/** A defect of ours, or a wire that broke while it was written to. */
function fail(turn: HttpContext<unknown>): void {
  turn.reply(500, newErrorResponse(null, "INTERNAL_ERROR", "Internal error"));
}

/** A document that anyone may read, from any page. */
function publish(turn: HttpContext<unknown>, json: string): void {
  const open = turn.with(PUBLIC_HEADERS);
  if (turn.method === "GET") return open.json(200, json);
  return turn.method === "OPTIONS" ? open.empty(204) : open.with({ allow: "GET" }).empty(405);
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
