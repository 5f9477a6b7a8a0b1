/**
 * @fileoverview Handles the four list methods. Pages are serialized at build time.
 * @module core/methods/list
 */
import { type Incoming, refuse } from "../call/incoming.js";
import { cachedResponse, type McpResponse } from "../wire/response.js";
import type { ListMethod, Snapshot } from "../snapshot/snapshot.js";

/** Returns a page of a list. */
export function list(incoming: Incoming, snapshot: Snapshot): McpResponse {
  const { id, method, params, caller, exchange } = incoming;
  const cursor = params?.["cursor"];
  if (cursor !== undefined && typeof cursor !== "string") {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: cursor must be a string");
  }
  // Only the four list methods are routed here.
  const payload = snapshot.lists[method as ListMethod].page(caller.revision, cursor, exchange?.auth);
  if (payload === undefined)
    return refuse(incoming, "INVALID_PARAMS", "Invalid or outdated cursor. Request the first page again.");
  return cachedResponse(id, payload);
}
