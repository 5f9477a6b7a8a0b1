/**
 * @fileoverview Sends requests to the client, and converts failures to the errors of version 2.
 * @module sdk/v2/server/client-requests
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Attached } from "../../mcp-server/client/attached.js";
import { prepare } from "../../mcp-server/client/client-requests.js";
import { connectionLine, sendRequest } from "../../mcp-server/client/send-request.js";
import { CONNECTION_CLOSED, REQUEST_TIMEOUT, RequestError } from "../../mcp-server/requests/errors.js";
import type { AskOptions, OutgoingRequest } from "../../mcp-server/requests/types.js";
import { ProtocolError, SdkError, SdkErrorCode } from "../errors.js";

/** Sends a request and resolves with the client's result. @throws {ProtocolError | SdkError} if it fails */
export async function requestFrom(
  { connection, notify }: Attached,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  const { signal } = options;
  if (signal?.aborted === true) throw toAbortError(signal.reason);
  try {
    return await sendRequest(connectionLine(connection, notify), prepare(request, connection), { options });
  } catch (error) {
    throw toRequestError(error);
  }
}

function toAbortError(reason: unknown): SdkError {
  return reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason));
}

/** Converts a failure of version 1. Other errors are returned unchanged. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { code, text, data } = error;
  const isOwn =
    data === undefined || (isJsonObject(data) && ("timeout" in data || "maxTotalTimeout" in data));
  if (code === REQUEST_TIMEOUT && isOwn) return new SdkError(SdkErrorCode.RequestTimeout, text, data);
  if (code === CONNECTION_CLOSED && data === undefined && text === "Connection closed")
    return new SdkError(SdkErrorCode.ConnectionClosed, text);
  return ProtocolError.fromError(code, text, data);
}
