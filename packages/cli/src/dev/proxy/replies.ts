/**
 * @fileoverview Responses of the proxy: a server's reply, or an error of the command itself.
 * @module cli/dev/proxy/replies
 */
import type { McpResponse } from "tenon";
import { type Connection, emptyResponse, errorResponse, resultResponse } from "tenon/host";
import type { ErrorName, RequestId } from "tenon/protocol";
import type { ServerReply, ThrownFacts } from "../messages/messages.js";

/** Converts a server's reply to a response. */
export function toResponse(reply: ServerReply, id: RequestId, { era = "legacy" }: Connection): McpResponse {
  if (reply.type === "empty") return emptyResponse;
  if (reply.type === "result") return resultResponse(id, reply.payload);
  const { error, code, message, data } = reply;
  return errorResponse(id, { error, code, message, data, era });
}

/** Creates an error reply. */
export function errorReply(error: ErrorName, message: string, code = INTERNAL_ERROR): ServerReply {
  return { type: "error", error, code, message };
}

/** Creates the reply to a call that was lost with its process, which has crashed or was killed. */
export function lostReply(reason: ThrownFacts, wasKilled: boolean): ServerReply {
  return errorReply(
    "INTERNAL_ERROR",
    wasKilled
      ? "The code of this call was replaced, and the call did not finish in time."
      : `The server crashed during this call: ${reason.message}`,
  );
}

/** Creates the reply to a call for which no server is running. */
export function unavailableReply(reason: ThrownFacts): ServerReply {
  return errorReply("SERVICE_UNAVAILABLE", `The server could not be started: ${reason.message}`);
}

/** Reply to a call that would exceed a limit of the command. */
export const BUSY_REPLY: ServerReply = {
  type: "error",
  error: "TOO_MANY_CALLS",
  code: -32600,
  message: "Too many calls are waiting for the server. Try again later.",
};

const INTERNAL_ERROR = -32603;
