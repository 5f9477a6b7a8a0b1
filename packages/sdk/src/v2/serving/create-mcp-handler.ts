/**
 * @fileoverview `createMcpHandler`: serves every protocol revision over HTTP, with a new server for each request.
 * @module sdk/v2/serving/create-mcp-handler
 */
import { toFetch } from "tenon/fetch";
import { DEFAULT_LIMITS } from "tenon/protocol";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, number, oneOf } from "@tenon/internal/options/option-rows";
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { checkOrigin, readHostName, toHostSet } from "@tenon/internal/security/origin";
import { printable } from "@tenon/internal/text";
import type { AuthInfo } from "../types.js";
import { type McpServerFactory, toError } from "./created-server.js";
import { type HttpCall, HttpHost } from "./http-host.js";
import {
  createServerNotifier,
  DEFAULT_MAX_SUBSCRIPTIONS,
  InMemoryServerEventBus,
  ListenHub,
  type ServerEventBus,
  type ServerNotifier,
} from "./subscriptions.js";
import { LOCAL_HOST, toLocal } from "./local-request.js";

const HANDLER_OPTIONS = /* @__PURE__ */ defineOptions("createMcpHandler", {
  /**
   * Requests of the legacy revisions: `stateless` handles each of them independently, `reject` rejects them.
   * @default "stateless"
   */
  legacy: oneOf(["stateless", "reject"], {
    default: "stateless",
    fix: () => "To serve earlier revisions with your own handler, call `isLegacyRequest(request)` first.",
  }),
  /** Called with errors that no caller receives, and with the reasons for rejected requests. */
  onerror: callback<(error: Error) => void>(),
  /**
   * Form of replies. `auto` uses an event stream only if the server sends messages before the reply. `json` drops such
   * messages.
   * @default "auto"
   */
  responseMode: oneOf(["auto", "sse", "json"], { default: "auto" }),
  /**
   * Event bus for changes that listening clients are notified of.
   * @default a bus for this process
   */
  bus: custom<ServerEventBus>(),
  /**
   * Maximum number of open `subscriptions/listen` streams.
   * @default 1024
   */
  maxSubscriptions: number({ default: DEFAULT_MAX_SUBSCRIPTIONS }),
  /**
   * Interval between keep-alives of event streams in milliseconds. Values below 1, `NaN`, and `Infinity` turn them off.
   * @default 15000
   */
  keepAliveMs: custom<number>({
    default: 15_000,
    expected: "a number (milliseconds)",
    accepts: (value) => typeof value === "number",
  }),
  /**
   * Maximum size of a request body in bytes.
   * @default 4194304
   */
  maxRequestBodySize: custom<number>({
    default: 4_194_304,
    expected: "a positive number of bytes",
    accepts: (value) => Number.isFinite(value) && Number(value) > 0,
  }),
  /**
   * Maximum number of values in a request body. Every array element and object member counts, at any depth. Stops
   * requests that keep the event loop busy in parsers and validators. Not part of the official SDK.
   * @default 25000
   */
  maxValues: number({ default: DEFAULT_LIMITS.maxValues }),
});

/** Options of `createMcpHandler`. */
export interface CreateMcpHandlerOptions extends OptionsOf<typeof HANDLER_OPTIONS> {}

/** Data for one request that the application has already read. */
export interface McpHandlerRequestOptions {
  /** Authorization for the factory and for `ctx.http.authInfo`. It is not checked. */
  readonly authInfo?: AuthInfo | undefined;
  /** The parsed body, such as `req.body` of Express. */
  readonly parsedBody?: unknown;
}

/** Serves MCP over HTTP. */
export interface McpHttpHandler {
  /** Handles a request. */
  readonly fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  /** Ends listening streams, and cancels requests in flight. Later requests are rejected. */
  readonly close: () => Promise<void>;
  /** Notifies listening clients of changes. */
  readonly notify: ServerNotifier;
  /** The bus that `notify` publishes on. */
  readonly bus: ServerEventBus;
}

/** Longest interval that timers support, in milliseconds. */
const NEVER_MS = 2_147_483_647;

/**
 * Creates an HTTP handler. It does not check the Host and Origin headers and does not authenticate: do that first.
 *
 * @example
 * const handler = createMcpHandler(() => createServer());
 * export default { fetch: (request: Request) => handler.fetch(request) };
 * @throws if an option is unknown or invalid
 */
export function createMcpHandler(
  factory: McpServerFactory,
  options: CreateMcpHandlerOptions = {},
): McpHttpHandler {
  const settings = parseOptions(HANDLER_OPTIONS, options);
  const { legacy, responseMode, maxSubscriptions } = settings;
  const onerror = toReporter(settings.onerror);
  const bus = settings.bus ?? new InMemoryServerEventBus(onerror);
  const hub = new ListenHub({ bus, maxSubscriptions, endsEmpty: true, onerror });
  const isModernOnly = legacy === "reject";
  const host = new HttpHost(factory, {
    hub,
    isModernOnly,
    dropsNotifications: responseMode === "json",
    onerror,
  });
  const authenticate = () => ({ validUntil: host.validUntil, context: host.starting });
  const serve = toFetch(host, { legacy: "stateless", authenticate, ...httpOptions(settings) });
  let isClosed = false;
  return {
    async fetch(request, { authInfo, parsedBody } = {}) {
      if (isClosed) throw new Error("This MCP handler has been closed");
      if (request.method.toUpperCase() !== "POST") return notAllowed();
      const call: HttpCall = { request, authInfo, override: undefined };
      const response = await host.run(call, () => serve(toLocal(request, parsedBody)));
      const sent = call.override ?? response;
      return responseMode === "sse" ? toEventStream(sent) : sent;
    },
    async close() {
      isClosed = true;
      host.close();
      await serve.close(0);
    },
    notify: createServerNotifier(bus),
    bus,
  };
}

function httpOptions({
  legacy,
  responseMode,
  keepAliveMs,
  maxRequestBodySize: maxBytes,
  maxValues,
}: ParsedOptions<typeof HANDLER_OPTIONS>) {
  // Without the earlier revisions, batches of any length are rejected for another reason.
  const limits = { maxBytes, maxValues, ...(legacy === "reject" ? { maxBatch: Infinity } : {}) };
  return {
    allowedHosts: [LOCAL_HOST],
    // Without messages before the reply, `auto` never opens an event stream.
    streamAfterMs: responseMode === "sse" ? 0 : NEVER_MS,
    // `NaN` is not at least 1.
    keepAliveMs: keepAliveMs >= 1 ? Math.min(keepAliveMs, NEVER_MS) : NEVER_MS,
    limits,
  };
}

function notAllowed(): Response {
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32000, message: "Method not allowed." }, id: null },
    { status: 405, headers: { allow: "POST" } },
  );
}

/** Wraps a JSON reply in an event stream. Other responses are returned unchanged. */
async function toEventStream(response: Response): Promise<Response> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.status !== 200 || !isJson) return response;
  const headers = new Headers(response.headers);
  headers.set("content-type", "text/event-stream");
  headers.set("cache-control", "no-cache, no-transform");
  return new Response(`event: message\ndata: ${await response.text()}\n\n`, { status: 200, headers });
}

/** Returns a function that reports errors. Errors in `onerror` itself are ignored, because they cannot be reported. */
export function toReporter(onerror: ((error: Error) => void) | undefined): (error: Error) => void {
  return (error) => {
    try {
      onerror?.(toError(error));
    } catch {
      // Ignore errors in `onerror`.
    }
  };
}

/** Returns the host names of this machine. */
export function localhostAllowedHostnames(): string[] {
  return [...LOOPBACK_HOSTS];
}

/** Returns the host names of pages on this machine. */
export function localhostAllowedOrigins(): string[] {
  return [...LOOPBACK_HOSTS];
}

/** Returns a 403 response if the Host header is not allowed. Stops DNS rebinding. */
export function hostHeaderValidationResponse(
  request: Request,
  allowed: readonly string[],
): Response | undefined {
  const host = request.headers.get("host") ?? "";
  const name = readHostName(host);
  if (name !== undefined && toHostSet(allowed).has(name)) return undefined;
  return refuse(host === "" ? "Missing Host header" : `Invalid Host: ${printable(name ?? host)}`);
}

/** Returns a 403 response if the Origin header is not allowed. Requests without one pass: they come from no page. */
export function originValidationResponse(request: Request, allowed: readonly string[]): Response | undefined {
  const origin = request.headers.get("origin") || null;
  return checkOrigin(origin, toHostSet(allowed)).ok
    ? undefined
    : refuse(`Invalid Origin: ${printable(origin ?? "")}`);
}

function refuse(message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status: 403 });
}
