/**
 * @fileoverview Types for the client that sent a request, and for requests that the server sends to that client.
 * @module tenon/core/wire/caller
 */
import type { ClientCapabilities, JsonObject, LogLevel, Revision } from "../../protocol/index.js";

/** Request from the server to the client. */
export interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Client information. It comes from the connection in the legacy eras, and from each request in the modern era. */
export interface Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | undefined;
  readonly logLevel: LogLevel | undefined;
}
