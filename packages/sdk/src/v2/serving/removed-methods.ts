/**
 * @fileoverview Methods of the legacy revisions that the stateless revision does not have. An application's handler for
 * one of them serves only legacy clients.
 * @module sdk/v2/serving/removed-methods
 */
import type { McpResponse } from "tenon";
import { errorResponse } from "tenon/host";
import { readEnvelope } from "tenon/protocol";
import type { Request } from "../../mcp-server/requests/request-scope.js";

const REMOVED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "tasks/list",
  "tasks/result",
]);

/** Returns the error for a stateless request whose method only legacy revisions have. */
export function refuseRemoved(request: Request): McpResponse | undefined {
  const { id, method } = request;
  if (!REMOVED.has(method) || "error" in readEnvelope(request)) return undefined;
  return errorResponse(id, { error: "METHOD_NOT_FOUND", message: "Method not found", era: "modern" });
}
