/**
 * @fileoverview HTTP requests as lists of headers, in any number and order, and the messages of both eras.
 * @module tools/attack/clients/messages
 */
import { Buffer } from "node:buffer";

/** JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Name and value of a header. A name can occur more than once. */
export type HeaderLine = readonly [name: string, value: string];

/** HTTP request. */
export interface WireRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers: readonly HeaderLine[];
  readonly body?: string;
}

/** HTTP response. Status 0 means that the connection was closed without a response. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Newest stateless revision. */
export const MODERN = "2026-07-28";

/** Newest revision with sessions. */
export const LEGACY = "2025-11-25";

const PREFIX = "io.modelcontextprotocol/";

/** Capabilities of a client that answers questions and knows tasks. */
export const CAPABILITIES = { extensions: { [`${PREFIX}tasks`]: {} }, elicitation: { form: {} } };

/** Envelope of a stateless request. */
export const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: MODERN,
  [`${PREFIX}clientInfo`]: { name: "attacker", version: "1.0.0" },
  [`${PREFIX}clientCapabilities`]: CAPABILITIES,
};

/** Headers of every valid request. */
export const PLAIN: readonly HeaderLine[] = [
  ["Host", "localhost"],
  ["Content-Type", "application/json"],
  ["Accept", "application/json, text/event-stream"],
];

/** Creates the text of a message in a session. */
export function legacyBody(method: string, params: Json = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Creates the text of a stateless request. */
export function modernBody(method: string, params: Json = {}, id: number | string = 1): string {
  return legacyBody(
    method,
    { ...params, _meta: { ...ENVELOPE, ...(params["_meta"] as Json | undefined) } },
    id,
  );
}

/** Creates the headers that match a stateless request. */
export function modernHeaders(method: string, params: Json = {}): readonly HeaderLine[] {
  const name = params["taskId"] ?? params["uri"] ?? params["name"];
  const lines: HeaderLine[] = [
    ["MCP-Protocol-Version", MODERN],
    ["Mcp-Method", method],
  ];
  return typeof name === "string" ? [...lines, ["Mcp-Name", name]] : lines;
}

/** Creates a valid stateless request. */
export function modernRequest(
  method: string,
  params: Json = {},
  { id = 1, more = [] }: { readonly id?: number | string; readonly more?: readonly HeaderLine[] } = {},
): WireRequest {
  return {
    headers: [...PLAIN, ...modernHeaders(method, params), ...more],
    body: modernBody(method, params, id),
  };
}

/** Creates the request that opens a session. */
export function initializeRequest(more: readonly HeaderLine[] = []): WireRequest {
  const clientInfo = { name: "attacker", version: "1.0.0" };
  const params = { protocolVersion: LEGACY, capabilities: { elicitation: {} }, clientInfo };
  return { headers: [...PLAIN, ...more], body: legacyBody("initialize", params, "init") };
}

/** Formats a request as text. The length of the body is added. */
export function toText({ method = "POST", path = "/mcp", headers, body = "" }: WireRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const length = method === "POST" ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
  return [`${method} ${path} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n");
}
