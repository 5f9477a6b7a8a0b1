/**
 * @fileoverview A rate limit in front of an HTTP endpoint, by client address, before anything of a request is read.
 * @module app/limits/http-rate-limit
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { newErrorResponse } from "tenon";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { addressGroup, findClientAddress, type ForwardedHeader, parseProxies } from "./client-address.js";
import type { RateLimitOutcome } from "./rate-limit-store.js";
import { type RateLimiter, toSeconds } from "./rate-limiter.js";

/** Options of `httpRateLimit` and `fetchRateLimit`. */
export interface HttpRateLimitOptions {
  readonly limiter: RateLimiter;
  /**
   * The proxies in front of this server: addresses, networks as `10.0.0.0/8`, or `loopback`. Only their word is taken;
   * from anyone else the header is the client's own invention.
   * @default none: the address of the socket counts
   */
  readonly trustProxy?: readonly string[];
  /**
   * The header that those proxies write. Only one is read: a client would use the one that his proxy leaves alone.
   * @default "x-forwarded-for"
   */
  readonly forwardedHeader?: ForwardedHeader;
}

/** A function that Express, Connect and `node:http` take as it is. */
export type NodeRateLimit = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Gives the refusal, or nothing for a request that may pass. */
export type FetchRateLimit = (
  request: Request,
  clientAddress: string | undefined,
) => MaybePromise<Response | undefined>;

/**
 * A limit for `node:http` and what stands on it. A refused request gets 429 with `Retry-After`.
 *
 * @example app.use("/mcp", httpRateLimit({ limiter, trustProxy: ["loopback"] }));
 * @throws where `trustProxy` has an entry that is no address
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
 * The same for a handler of web requests, whose server knows the address.
 *
 * @example const refused = await limit(request, address); if (refused !== undefined) return refused;
 * @throws where `trustProxy` has an entry that is no address
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
  /** ASCII, so that its length is its size. */
  readonly body: string;
}

/** Counts a request, and gives its refusal where there is one. Never throws. */
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

/** The header fields are those of the IETF draft on rate limits: what the rule is, what is left, and until when. */
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

/** Where nobody can count, nobody passes. */
function unavailable(): Refusal {
  return {
    status: 503,
    headers: { "content-type": "application/json", "retry-after": "1" },
    body: toBody(newErrorResponse(null, "SERVICE_UNAVAILABLE", "Rate limiting is not available").toText()),
  };
}

function toBody(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
