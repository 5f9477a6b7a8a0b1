/**
 * @fileoverview The client, as the server knows it, and what the server may ask of it.
 * @module core/caller
 */
import type { ClientCapabilities, JsonObject, LogLevel, Revision } from "../../protocol/index.js";

/** A question to the client. */
export interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** What is known of the client: by its connection in the legacy eras, by each request in the modern one. */
export interface Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | undefined;
  readonly logLevel: LogLevel | undefined;
}
