/**
 * @fileoverview Rate limits for HTTP endpoints by client address. They apply before the request body is read.
 * @module app/limits/http-rate-limit
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { newErrorResponse } from "tenon";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { addressGroup, findClientAddress, type ForwardedHeader, parseProxies } from "./client-address.js";
import type { RateLimitOutcome } from "tenon/stores";
import { type RateLimiter, toSeconds, UNAVAILABLE } from "./rate-limiter.js";

/** Options for `httpRateLimit` and `fetchRateLimit`. */
export interface HttpRateLimitOptions {
  /** Limiter that counts the requests. */
  readonly limiter: RateLimiter;
  /**
   * Proxies in front of this server: addresses, networks such as `10.0.0.0/8`, or `loopback`. The forwarded header is
   * ignored unless one of these proxies sent the request, because clients can forge it.
   * @default none; the socket's address is used
   */
  readonly trustProxy?: readonly string[];
  /**
   * Header that these proxies write. The other header is ignored: a proxy that does not overwrite it passes on
   * whatever the client sent.
   * @default "x-forwarded-for"
   */
  readonly forwardedHeader?: ForwardedHeader;
}

/** Middleware for Express, Connect, and `node:http`. */
export type NodeRateLimit = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Returns the response to send if the request is rejected, or `undefined` if it is allowed. */
export type FetchRateLimit = (
  request: Request,
  clientAddress: string | undefined,
) => MaybePromise<Response | undefined>;

/**
 * Creates a rate limit for `node:http` and frameworks based on it. Rejected requests get
 * status 429 with `Retry-After`.
 *
 * @example app.use("/mcp", httpRateLimit({ limiter, trustProxy: ["loopback"] }));
 * @throws if `trustProxy` contains an invalid entry
 */
export function httpRateLimit(options: HttpRateLimitOptions): NodeRateLimit {
  const check = createCheck(options);
  const { forwardedHeader = "x-forwarded-for" } = options;
  return function httpRateLimit(request, response, next) {
    const header = request.headers[forwardedHeader];
    const refused = check(request.socket.remoteAddress, Array.isArray(header) ? header.join(",") : header);
    const finish = (refusal: Refusal | undefined) => {
      if (refusal === undefined) return next();
      if (response.headersSent) return undefined;
      const { status, headers, body } = refusal;
      response.writeHead(status, { ...headers, "content-length": body.length });
      response.end(body);
      return undefined;
    };
    if (isPromise(refused)) void refused.then(finish).catch(next);
    else finish(refused);
  };
}

/**
 * Creates a rate limit for web-standard handlers. The caller passes the client's address, which a `Request` does not
 * contain.
 *
 * @example const refused = await limit(request, address); if (refused !== undefined) return refused;
 * @throws if `trustProxy` contains an invalid entry
 */
export function fetchRateLimit(options: HttpRateLimitOptions): FetchRateLimit {
  const check = createCheck(options);
  const { forwardedHeader = "x-forwarded-for" } = options;
  const toResponse = (refusal: Refusal | undefined) =>
    refusal && new Response(refusal.body, { status: refusal.status, headers: refusal.headers });
  return function fetchRateLimit(request, clientAddress) {
    const refused = check(clientAddress, request.headers.get(forwardedHeader));
    return isPromise(refused) ? refused.then(toResponse) : toResponse(refused);
  };
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** ASCII only, so that its length equals its size in bytes. */
  readonly body: string;
}

/** Creates a function that counts a request and, if it is rejected, returns the response. It never throws. */
function createCheck({ limiter, trustProxy, forwardedHeader = "x-forwarded-for" }: HttpRateLimitOptions) {
  const trust =
    trustProxy === undefined ? undefined : { proxies: parseProxies(trustProxy), header: forwardedHeader };
  const judge = (outcome: RateLimitOutcome) => (outcome.allowed ? undefined : refuse(limiter, outcome));
  return (socketAddress: string | undefined, header: string | null | undefined) => {
    const address = findClientAddress(socketAddress, header, trust);
    const key = `http ${address === undefined ? "unknown" : addressGroup(address)}`;
    try {
      const outcome = limiter.consume(key);
      return isPromise(outcome) ? outcome.then(judge, unavailable) : judge(outcome);
    } catch {
      return unavailable();
    }
  };
}

/**
 * Builds the 429 response. Its headers follow the IETF draft on rate limits: policy, remaining quota, and reset time.
 */
function refuse(limiter: RateLimiter, outcome: RateLimitOutcome): Refusal {
  const { limit, windowMs } = limiter.getConfig();
  const seconds = toSeconds(outcome.resetMs);
  return {
    status: 429,
    headers: {
      "content-type": "application/json",
      "retry-after": String(seconds),
      "ratelimit-policy": `"default";q=${limit};w=${toSeconds(windowMs)}`,
      ratelimit: `"default";r=${outcome.remaining};t=${seconds}`,
    },
    body: toBody(newErrorResponse(null, "RATE_LIMITED", limiter.refusal(outcome).message).toText()),
  };
}

/** Builds the 503 response for a failed store. The limit fails closed: every request is rejected. */
function unavailable(): Refusal {
  return {
    status: 503,
    headers: { "content-type": "application/json", "retry-after": "1" },
    body: toBody(newErrorResponse(null, "SERVICE_UNAVAILABLE", UNAVAILABLE).toText()),
  };
}

function toBody(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
