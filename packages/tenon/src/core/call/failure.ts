/**
 * @fileoverview What becomes of an error that a handler threw and no result can carry.
 * @module core/failure
 */
import { type Incoming, refuse, refuseWith } from "./incoming.js";
import type { McpResponse } from "../wire/response.js";
import { messageOf } from "@tenon/internal/thrown";
import { toPublicError } from "../../protocol/public-error.js";

/**
 * The JSON-RPC error for a handler that failed: its own words if they were meant to be sent, else none. Never throws,
 * whatever was thrown.
 */
export function failWithError(name: string, error: unknown, incoming: Incoming): McpResponse {
  const told = toPublicError(error);
  if (told !== undefined) {
    return refuseWith(incoming, { error: told.code, message: told.message, data: told.details });
  }
  const { services, method } = incoming;
  services.log?.({ level: "error", event: "handler-failed", operation: method, name, error });
  const text = services.exposeErrors ? messageOf(error) : undefined;
  return refuse(incoming, "INTERNAL_ERROR", text ?? "Internal error");
}
