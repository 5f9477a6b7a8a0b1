/**
 * @fileoverview Types for the client of a request and for requests to it.
 * @module core/caller
 */
import type { ClientCapabilities, JsonObject, LogLevel, Revision } from "../../protocol/index.js";

/** Request from the server to the client. */
export interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Client information, from the connection in the legacy eras and from each request in the modern one. */
export interface Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | undefined;
  readonly logLevel: LogLevel | undefined;
}
