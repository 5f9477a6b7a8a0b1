/**
 * @fileoverview What becomes of an error that a handler threw and no result can carry.
 * @module core/failure
 */
import { McpError } from "../protocol/index.js";
import { type Incoming, refuse } from "./incoming.js";
import type { McpResponse } from "./response.js";

/** The JSON-RPC error for a handler that failed: its own words if they were meant to be sent, else none. */
export function failWithError(name: string, error: unknown, incoming: Incoming): McpResponse {
  if (error instanceof McpError) {
    return refuse(
      incoming,
      error.code,
      error.message,
      error.details === undefined ? {} : { data: error.details },
    );
  }
  const { services, method } = incoming;
  services.log?.({ level: "error", event: "handler-failed", operation: method, name, error });
  const text = services.exposeErrors && error instanceof Error ? error.message : "Internal error";
  return refuse(incoming, "INTERNAL_ERROR", text);
}
