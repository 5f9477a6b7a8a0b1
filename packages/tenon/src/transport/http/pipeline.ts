/**
 * @fileoverview HTTP request pipeline that all adapters share: access checks, authentication, parsing, and dispatch by
 * protocol era.
 * @module tenon/transport/http/pipeline
 */
import { errorResponse, newErrorResponse } from "../../core/wire/response.js";
import { isJsonObject } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  classifyEra,
  describeInvalidMessage,
  isRevisionOf,
  type JsonRpcRequest,
  messageKind,
  parseFrame,
  salvageId,
} from "../../protocol/index.js";
import { hasEnvelope } from "../../protocol/revisions/envelope.js";
import { type Access, checkAccept, checkContentType, checkHost, checkPage } from "./access.js";
import type { Authenticated, RequestInfo } from "./authorization.js";
import { corsHeaders, preflightHeaders, PUBLIC_HEADERS } from "./cors.js";
import { LegacyEndpoint } from "./legacy/endpoint.js";
import { MemoryBudget } from "./limits/memory-budget.js";
import { answerModern, type ModernEndpoint } from "./modern.js";
import { LegacySseTransport, startsWork } from "./legacy-sse-transport.js";
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from "./options.js";
import { Pipelining } from "./limits/pipelining.js";
import { refuse, refuseBody, refuseRevoked, refuseStopping } from "./refusals.js";
import type { ServerSource } from "./server-source.js";
import type { HttpCaller, HttpBody, HttpContext } from "./http-context.js";

/** HTTP endpoint that handles requests from any adapter. */
export class HttpPipeline<Context> {
  readonly options: ResolvedHttpOptions<Context>;
  /** Caller of every request if authentication is not configured. */
  readonly anyone: HttpCaller<Context>;
  /** Memory budget for incomplete request bodies. */
  readonly requests: MemoryBudget;
  /** Memory budget for unread responses. */
  readonly responses: MemoryBudget;
  /** Limits requests that are queued behind others on the same connection. */
  readonly pipelining: Pipelining;
  readonly #modern: ModernEndpoint<Context> | undefined;
  readonly #legacy: LegacyEndpoint<Context>;
  readonly #legacySse: LegacySseTransport<Context> | undefined;
  #lastHost: string | undefined;
  #lastAccept: string | null | undefined;
  #legacyVersion: string | null | undefined = undefined;
  #inFlight = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(source: ServerSource<Context>, options: HttpOptions<Context>) {
    const { shared } = source;
    this.options = resolveHttpOptions(options);
    this.#modern = shared === undefined ? undefined : { server: shared, options: this.options };
    this.anyone = {
      auth: undefined,
      context: this.options.context,
      validUntil: undefined,
      revoked: undefined,
    };
    const { ports, maxRequestBytes, maxResponseBytes, writeTimeoutMs } = this.options;
    this.requests = new MemoryBudget(ports, { maxBytes: maxRequestBytes });
    this.responses = new MemoryBudget(ports, { maxBytes: maxResponseBytes, timeoutMs: writeTimeoutMs });
    this.pipelining = new Pipelining(this.options.maxCallsPerConnection);
    this.#legacy = new LegacyEndpoint(source, this.options);
    this.#legacySse = this.options.legacySse ? new LegacySseTransport(this.#legacy, this.options) : undefined;
    // The sessions have linked the server to the store, so unfinished tasks of other nodes can run now.
    shared?.start?.();
  }

  /** Number of requests in progress, excluding listening streams. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of sessions that this process has in memory. */
  get openSessions(): number {
    return this.#legacy.sessions.size;
  }

  /** Handles one request. Never throws. */
  take(context: HttpContext<Context>): void {
    const { corsOrigins } = this.options;
    if (corsOrigins !== undefined) context.headers = corsHeaders(context.origin, corsOrigins);
    // A call in flight may wait for a response that the client still has to POST.
    if (this.#draining && !this.#hasSession(context)) refuseStopping(context);
    else {
      try {
        const ending = this.#route(context);
        if (isPromise(ending)) this.#await(context, ending);
      } catch {
        fail(context);
      }
    }
  }

  /** Rejects new requests, waits up to `graceMs` for requests in flight, and closes all sessions. */
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
    for (const reply of this.options.unfinished) reply.giveUp();
    await this.#legacy.sessions.close();
  }

  /** Counts a request as in flight until it has ended. A request whose body is still being read does not count. */
  #await(context: HttpContext<Context>, ending: Promise<void>): void {
    this.#inFlight++;
    context.beginCall();
    const end = () => {
      context.endCall();
      if (--this.#inFlight === 0) this.#onIdle?.();
    };
    ending.catch(() => fail(context)).then(end, end);
  }

  #route(context: HttpContext<Context>): MaybePromise<void> {
    const { corsOrigins, authenticate, authorization } = this.options;
    const { metadata } = authorization ?? {};
    if (metadata?.paths.has(pathOf(context.url)) === true) return publish(context, metadata.json);
    const access = this.#admit(context);
    if (!access.ok) return refuse(context, access.status, access.reason);
    if (context.method === "OPTIONS" && corsOrigins !== undefined) {
      context.headers = preflightHeaders(context.headers, context.header("access-control-request-headers"));
      return context.empty(204);
    }
    if (!METHODS.has(context.method)) return context.with({ allow: "POST, GET, DELETE" }).empty(405);
    if (authenticate === undefined) return this.#serve(context);
    const asked = authenticate(new ContextInfo(context));
    return isPromise(asked)
      ? asked.then((found) => (context.isGone ? context.abandon() : this.#serveFound(context, found)))
      : this.#serveFound(context, asked);
  }

  #serveFound(context: HttpContext<Context>, found: Authenticated<Context>): MaybePromise<void> {
    if (!("status" in found)) {
      const { auth, revoked } = found;
      // Safe: JavaScript callers may return other values, which count as revoked.
      if (revoked !== undefined && (revoked.aborted as unknown) !== false) return refuseRevoked(context);
      context.caller = {
        auth,
        context: found.context ?? this.options.context,
        validUntil: found.validUntil ?? auth?.expiresAt,
        revoked,
      };
      return this.#serve(context);
    }
    if (found.headers !== undefined) context.with(found.headers);
    return context.reply(found.status, newErrorResponse(null, "UNAUTHORIZED", found.message));
  }

  /**
   * Checks the Host and Origin headers. Caches the last allowed Host, because a client sends the same one with every
   * request.
   */
  #admit(context: HttpContext<Context>): Access {
    const { hosts, origins, corsOrigins } = this.options;
    const host = context.host;
    if (typeof host !== "string" || host !== this.#lastHost) {
      const access = checkHost(host, hosts);
      if (!access.ok) return access;
      this.#lastHost = host ?? undefined;
    }
    return corsOrigins === "*" ? PASS : checkPage(context.origin, origins);
  }

  #serve(context: HttpContext<Context>): MaybePromise<void> {
    if (this.#legacySse?.takes(context) === true) return this.#serveLegacySse(this.#legacySse, context);
    if (context.method === "POST") return this.#post(context);
    if (isRevisionOf("modern", context.version?.trim())) {
      return context.with({ allow: "POST" }).empty(405);
    }
    return context.method === "GET" ? this.#legacy.listen(context) : this.#legacy.end(context);
  }

  #serveLegacySse(transport: LegacySseTransport<Context>, context: HttpContext<Context>): MaybePromise<void> {
    if (context.method === "GET") {
      return this.#draining ? refuseStopping(context) : transport.open(context);
    }
    if (!transport.admits(context)) return undefined;
    return context.readBody(this.options.limits.maxBytes, (_context, body) =>
      this.#await(context, transport.answer(context, body, !this.#draining)),
    );
  }

  /** Returns true if a request names a session. HTTP+SSE requests name it in their URL. */
  #hasSession(context: HttpContext<Context>): boolean {
    return (
      typeof context.sessionId === "string" ||
      (context.method === "POST" && this.#legacySse?.takes(context) === true)
    );
  }

  #post(context: HttpContext<Context>): void {
    const access = this.#checkForm(context);
    if (access.ok) context.readBody(this.options.limits.maxBytes, this.#onBody);
    else refuse(context, access.status, access.reason);
  }

  readonly #onBody = (context: HttpContext<Context>, body: HttpBody): void => {
    try {
      const ending = this.#read(context, body);
      if (isPromise(ending)) this.#await(context, ending);
    } catch {
      fail(context);
    }
  };

  /** Checks the Content-Type and Accept headers. Caches the last allowed Accept header. */
  #checkForm(context: HttpContext<Context>): Access {
    const contentType = context.contentType;
    if (contentType !== "application/json") {
      const access = checkContentType(contentType);
      if (!access.ok) return access;
    }
    const accept = context.accept;
    if (accept === this.#lastAccept) return PASS;
    const access = checkAccept(accept);
    if (access.ok) this.#lastAccept = accept;
    return access;
  }

  #read(context: HttpContext<Context>, body: HttpBody): MaybePromise<void> {
    const { limits } = this.options;
    if (body === undefined || body === null) return refuseBody(context, body, this.options);
    context.messageLength = body.length;
    const parsed = parseFrame(body, limits);
    if (parsed.ok) return this.#answer(parsed.value, context);
    return context.reply(400, newErrorResponse(null, parsed.error, parsed.reason));
  }

  /**
   * Selects the era from the body first. An invalid stateless request is rejected, never handled as a legacy request.
   */
  #answer(value: unknown, context: HttpContext<Context>): MaybePromise<void> {
    const kind = messageKind(value);
    if (kind === "request") {
      if (this.#draining) return refuseStopping(context);
      return this.#answerRequest(value as JsonRpcRequest, context); // Safe: the kind was just checked
    }
    if (Array.isArray(value)) {
      // Safe: every object may be a message
      const isMixed = value.some((one) => isJsonObject(one) && hasEnvelope(one as unknown as JsonRpcRequest));
      if (isMixed) return refuse(context, 400, MIXED_BATCH);
      context.messageLength /= Math.max(value.length, 1);
      if (this.#draining && startsWork(value)) return refuseStopping(context);
      return this.#legacy.post({ value, kind: "batch" }, context);
    }
    if (kind === "invalid") {
      const message = describeInvalidMessage(value);
      return context.reply(400, newErrorResponse(salvageId(value), "INVALID_REQUEST", message));
    }
    const version = context.version?.trim();
    const isModern = isRevisionOf("modern", version) || hasEnvelope(value as JsonRpcRequest);
    if (kind === "notification" && isModern) return context.empty(202);
    return this.#legacy.post({ value, kind }, context);
  }

  #answerRequest(message: JsonRpcRequest, context: HttpContext<Context>): MaybePromise<void> {
    const { version } = context;
    // With a known legacy version header, only the body can make the request stateless.
    const isLegacy = version === this.#legacyVersion && !hasEnvelope(message);
    const era = isLegacy ? "legacy" : classifyEra(message, version ?? undefined);
    if (!isLegacy && era === "legacy") this.#legacyVersion = version;
    if (era === "legacy") return this.#legacy.post({ value: message, kind: "request" }, context);
    if (this.#modern === undefined)
      return refuse(
        context,
        400,
        "This endpoint does not support stateless requests. Send `initialize` to open a session.",
      );
    if (era === "modern") return answerModern(this.#modern, message, context);
    const { error, reason, details } = era;
    const refusal = errorResponse(message.id ?? null, {
      error,
      message: reason,
      data: details,
      era: "modern",
    });
    return context.reply(refusal.status, refusal);
  }
}

/** Request data for `authenticate`. The header reader is created on first use. */
class ContextInfo implements RequestInfo {
  readonly method: string;
  readonly url: string;
  private readonly context: HttpContext<unknown>;

  constructor(context: HttpContext<unknown>) {
    this.method = context.method;
    this.url = context.url;
    this.context = context;
  }

  get header(): RequestInfo["header"] {
    const { context } = this;
    return (name) => context.header(name.toLowerCase());
  }
}

const METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set(["POST", "GET", "DELETE"]);
const PASS: Access = { ok: true };
const MIXED_BATCH = "A batch must not contain stateless requests. Send each request separately.";

/** Responds with 500 after an internal error or a failed write. */
function fail(context: HttpContext<unknown>): void {
  context.reply(500, newErrorResponse(null, "INTERNAL_ERROR", "Internal error"));
}

/** Serves a public document that any page may read. */
function publish(context: HttpContext<unknown>, json: string): void {
  const open = context.with(PUBLIC_HEADERS);
  if (context.method === "GET") return open.json(200, json);
  return context.method === "OPTIONS" ? open.empty(204) : open.with({ allow: "GET" }).empty(405);
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
