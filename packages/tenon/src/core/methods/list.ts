/**
 * @fileoverview Handles the four list methods. Their pages are already serialized.
 * @module tenon/core/methods/list
 */
import { type Incoming, refuse } from "../call/incoming.js";
import { cachedResponse, type McpResponse } from "../wire/response.js";
import type { ListMethod, Snapshot } from "../snapshot/snapshot.js";

/** Returns the list page at the client's cursor, or the first page if the request does not contain a cursor. */
export function list(incoming: Incoming, snapshot: Snapshot): McpResponse {
  const { id, method, params, caller, exchange } = incoming;
  const cursor = params?.["cursor"];
  if (cursor !== undefined && typeof cursor !== "string") {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: cursor must be a string");
  }
  // Safe: the router passes only the four list methods to this function.
  const served = snapshot.lists[method as ListMethod];
  const payload = served.page(caller.revision, cursor, exchange?.auth);
  if (payload === undefined)
    return refuse(
      incoming,
      "INVALID_PARAMS",
      "The cursor is invalid or outdated. Request the first page again.",
    );
  if (exchange?.connection.isShared === true) exchange.connection.noteList(method, served.digest);
  return cachedResponse(id, payload);
}
