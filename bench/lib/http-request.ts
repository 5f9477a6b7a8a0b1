/**
 * @fileoverview Prepared HTTP requests, with the headers that their revision requires.
 * @module bench/lib/http-request
 */
import { Buffer } from "node:buffer";
import type { Mode } from "../servers/contract.js";
import { LEGACY_REVISION, MODERN_REVISION, type Variant } from "./cases.js";

/** Types that the specification requires clients to accept. */
export const ACCEPT = "application/json, text/event-stream";

/** Properties shared by all requests to one server. */
export interface Target {
  readonly port: number;
  readonly mode: Mode;
  readonly accept: string;
}

/** Creates a complete HTTP request with the headers that its revision requires. */
export function requestBytes(
  { method, name, text }: Pick<Variant, "method" | "name" | "text">,
  { mode, port, accept }: Target,
  session?: string,
): Buffer {
  const headers = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    `Accept: ${accept}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `MCP-Protocol-Version: ${mode === "modern" ? MODERN_REVISION : LEGACY_REVISION}`,
    ...(mode === "modern" ? [`Mcp-Method: ${method}`] : []),
    ...(mode === "modern" && name !== undefined ? [`Mcp-Name: ${name}`] : []),
    ...(session === undefined ? [] : [`Mcp-Session-Id: ${session}`]),
  ];
  return Buffer.from(`${headers.join("\r\n")}\r\n\r\n${text}`);
}

/** Creates a GET request that resumes a stream of a session after an event. */
export function resumeBytes(port: number, session: string, lastEventId: string): Buffer {
  const headers = [
    "GET /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Accept: text/event-stream",
    `MCP-Protocol-Version: ${LEGACY_REVISION}`,
    `Mcp-Session-Id: ${session}`,
    `Last-Event-ID: ${lastEventId}`,
  ];
  return Buffer.from(`${headers.join("\r\n")}\r\n\r\n`);
}
