/**
 * @fileoverview Creates requests for both protocol eras, as HTTP clients send them.
 * @module tests/support/http-messages
 */
import type { JsonObject } from "@tenon/internal/json";
import { LATEST_LEGACY, META } from "tenon/protocol";
import { type Endpoint, post } from "./http-faces.js";
import { MODERN, modernRequest, request } from "./requests.js";

/** Changes to the default stateless request. */
export interface ModernExtras {
  readonly id?: string | number;
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject;
  /** Headers to replace. `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** Creates a stateless request with its envelope and headers. */
export function modernPost(method: string, params: JsonObject = {}, extras: ModernExtras = {}): RequestInit {
  const name = params["name"] ?? params["uri"];
  const _meta = { [META.clientCapabilities]: extras.capabilities ?? {}, ...extras.meta };
  const headers = {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    "mcp-name": typeof name === "string" ? name : undefined,
    ...extras.headers,
  };
  return post(modernRequest(method, { ...params, _meta }, extras.id ?? 1), headers, extras.signal);
}

/** Creates a stateless tool call. */
export function modernCall(name: string, args: JsonObject = {}, extras: ModernExtras = {}): RequestInit {
  return modernPost("tools/call", { name, arguments: args }, extras);
}

/** Creates the body of an `initialize` request. */
export function initializeBody(revision: string = LATEST_LEGACY, capabilities: JsonObject = {}): JsonObject {
  const clientInfo = { name: "tests", version: "1.0.0" };
  return { ...request("initialize", { protocolVersion: revision, capabilities, clientInfo }, "init") };
}

/** A legacy client with an open session. */
export interface LegacyClient {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  post(body: unknown, signal?: AbortSignal): Promise<Response>;
  call(name: string, args?: JsonObject, id?: string | number): Promise<Response>;
  /** Opens the stream for server messages, or resumes a stream. */
  get(lastEventId?: string, signal?: AbortSignal): Promise<Response>;
  end(): Promise<Response>;
}

/** Changes to the default session. */
export interface SessionExtras {
  readonly revision?: string;
  readonly capabilities?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a session as a client does. @throws if the server does not open a session */
export async function openSession(endpoint: Endpoint, extras: SessionExtras = {}): Promise<LegacyClient> {
  const { revision = LATEST_LEGACY, capabilities } = extras;
  const opened = await endpoint.fetch(post(initializeBody(revision, capabilities), extras.headers));
  await opened.text();
  const id = opened.headers.get("mcp-session-id");
  if (id === null) throw new Error(`No session was opened: status ${opened.status}.`);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": revision, ...extras.headers };
  const client: LegacyClient = {
    id,
    headers,
    post: (body, signal) => endpoint.fetch(post(body, headers, signal)),
    call: (name, args = {}, callId = 1) =>
      client.post(request("tools/call", { name, arguments: args }, callId)),
    get: (lastEventId, signal) =>
      endpoint.fetch({
        method: "GET",
        headers: {
          ...headers,
          accept: "text/event-stream",
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    end: () => endpoint.fetch({ method: "DELETE", headers }),
  };
  const ready = await client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  await ready.text();
  return client;
}
