/**
 * @fileoverview Requests of both eras as HTTP clients send them.
 * @module tests/support/http-messages
 */
import type { JsonObject } from "@tenon/internal/json";
import { LATEST_LEGACY, META } from "tenon/protocol";
import { type Endpoint, post } from "./http-faces.js";
import { MODERN, modernRequest, request } from "./requests.js";

/** What a stateless request may differ in. */
export interface ModernExtras {
  readonly id?: string | number;
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject;
  /** Replace headers; nothing leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** A stateless request with its envelope and its headers. */
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

/** A stateless call of a tool. */
export function modernCall(name: string, args: JsonObject = {}, extras: ModernExtras = {}): RequestInit {
  return modernPost("tools/call", { name, arguments: args }, extras);
}

/** The body that opens a session. */
export function initializeBody(revision: string = LATEST_LEGACY, capabilities: JsonObject = {}): JsonObject {
  const clientInfo = { name: "tests", version: "1.0.0" };
  return { ...request("initialize", { protocolVersion: revision, capabilities, clientInfo }, "init") };
}

/** A legacy client: it has a session, and names it. */
export interface LegacyClient {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  post(body: unknown, signal?: AbortSignal): Promise<Response>;
  call(name: string, args?: JsonObject, id?: string | number): Promise<Response>;
  /** Opens the stream for what comes unasked, or goes on with another. */
  get(lastEventId?: string, signal?: AbortSignal): Promise<Response>;
  end(): Promise<Response>;
}

/** What a session may differ in. */
export interface SessionExtras {
  readonly revision?: string;
  readonly capabilities?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a session as a client does. @throws where there is none */
export async function openSession(endpoint: Endpoint, extras: SessionExtras = {}): Promise<LegacyClient> {
  const { revision = LATEST_LEGACY, capabilities } = extras;
  const opened = await endpoint.fetch(post(initializeBody(revision, capabilities), extras.headers));
  await opened.text();
  const id = opened.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session was opened: ${opened.status}`);
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
