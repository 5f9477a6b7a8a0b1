/**
 * @fileoverview The four lists, all the same: a look-up of bytes.
 * @module core/methods/list
 */
import { type Incoming, refuse } from "../call/incoming.js";
import { cachedResponse, type McpResponse } from "../wire/response.js";
import type { ListMethod, Snapshot } from "../snapshot/snapshot.js";

/** A page of a list. */
export function list(incoming: Incoming, snapshot: Snapshot): McpResponse {
  const { id, method, params, caller, exchange } = incoming;
  const cursor = params?.["cursor"];
  if (cursor !== undefined && typeof cursor !== "string") {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: cursor must be a string");
  }
  // The four methods that lead here are the four that have lists.
  const payload = snapshot.lists[method as ListMethod].page(caller.revision, cursor, exchange?.auth);
  if (payload === undefined)
    return refuse(incoming, "INVALID_PARAMS", "invalid or outdated cursor; list anew");
  return cachedResponse(id, payload);
}
