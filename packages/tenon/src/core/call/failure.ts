/**
 * @fileoverview Converts a handler's error to a JSON-RPC error.
 * @module tenon/core/call/failure
 */
import { type Incoming, refuse, refuseWith } from "./incoming.js";
import type { McpResponse } from "../wire/response.js";
import { isInstance, messageOf } from "@tenon/internal/thrown";
import { NotStoredError } from "../wire/changes.js";
import { type PublicError, toPublicError } from "../../protocol/public-error.js";

/**
 * Creates the JSON-RPC error for a failed handler. The message of an `McpError` is sent to the client. Other errors are
 * logged and reported as an internal error. Never throws, even if the thrown value is not an `Error`.
 */
export function failWithError(name: string, error: unknown, incoming: Incoming): McpResponse {
  const told = toPublicError(error);
  if (told !== undefined) {
    return refuseWithPublic(incoming, told);
  }
  const { services } = incoming;
  logHandlerFailure(name, error, incoming);
  const text = services.exposeErrors ? messageOf(error) : undefined;
  return refuse(incoming, "INTERNAL_ERROR", text ?? "Internal error");
}

/** Logs the failure of a handler. One that waited for the store is part of an outage, which is logged once. */
export function logHandlerFailure(name: string, error: unknown, { services, method }: Incoming): void {
  const isOutage = isInstance(error, NotStoredError);
  if (isOutage && (services.outage.hasJustEnded || !services.outage.begins())) return;
  const event = isOutage ? "store-failed" : "handler-failed";
  services.log?.({ level: "error", event, operation: method, name, error });
}

/** Creates the JSON-RPC error for an error whose message is meant for the client. */
export function refuseWithPublic(incoming: Incoming, told: PublicError): McpResponse {
  const isUnknown = told.rpc === URL_ELICITATION_REQUIRED && incoming.encoder.traits.era === "modern";
  return refuseWith(incoming, {
    error: told.code,
    message: told.message,
    data: told.details,
    code: isUnknown ? undefined : told.rpc,
  });
}

/** Code of official SDK errors that list URLs for the user to open. The modern era does not have this code. */
export const URL_ELICITATION_REQUIRED = -32042;
