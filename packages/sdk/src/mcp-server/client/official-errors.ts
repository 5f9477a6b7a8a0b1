/**
 * @fileoverview Converts errors to the official SDK's `McpError` if the SDK is installed, so that `instanceof` works in
 * code that was written for it.
 * @module sdk/mcp-server/client/official-errors
 */
import { isInstance } from "@tenon/internal/thrown";
import { RequestError } from "../requests/errors.js";

/** Returns the official SDK's error for a failed request to the client. Other errors are returned unchanged. */
export async function toOfficialError(error: unknown): Promise<unknown> {
  if (!isInstance(error, RequestError)) return error;
  const { code, text, data } = error;
  return (await loadMcpError())?.fromError(code, text, data) ?? error;
}

/** Class in the module `types.js` of the official SDK. */
interface OfficialErrorClass {
  fromError(code: number, message: string, data?: unknown): Error;
}

let loading: Promise<OfficialErrorClass | undefined> | undefined;

/** Loads the class when the first request fails. An application without the official SDK keeps our own errors. */
function loadMcpError(): Promise<OfficialErrorClass | undefined> {
  loading ??= import("@modelcontextprotocol/sdk/types.js").then(
    ({ McpError }) => McpError,
    () => undefined,
  );
  return loading;
}
