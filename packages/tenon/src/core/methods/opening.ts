/**
 * @fileoverview The methods that open a conversation and set its tone.
 * @module core/methods/opening
 */
import { readCapabilities, readClientInfo } from "../../protocol/client-facts.js";
import { isLogLevel } from "../../protocol/index.js";
import { negotiate } from "../../protocol/revisions/revision.js";
import { type Incoming, refuse } from "../call/incoming.js";
import { clientLabel } from "../wire/log.js";
import { cachedResponse, type McpResponse, resultResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";

/** Opens a legacy conversation. */
export function initialize(incoming: Incoming, snapshot: Snapshot): McpResponse {
  const { id, params, exchange, services } = incoming;
  const revision = negotiate(params?.["protocolVersion"]);
  const clientInfo = readClientInfo(params?.["clientInfo"]);
  const connection = exchange?.connection;
  if (connection !== undefined) {
    connection.revision = revision;
    connection.capabilities = readCapabilities(params?.["capabilities"]);
    connection.clientInfo = clientInfo;
  }
  services.log?.({
    level: "info",
    event: "initialize",
    revision,
    client: clientLabel(clientInfo),
  });
  const { stateful, stateless } = snapshot.initializeReplies;
  const replies = connection?.pushes === true ? stateful : stateless;
  return cachedResponse(id, replies[revision]);
}

/** Tells a modern client what there is. */
export function discover({ id, caller }: Incoming, snapshot: Snapshot): McpResponse {
  return cachedResponse(id, snapshot.initializeReplies.stateful[caller.revision]);
}

/** Says no more than that all is well. */
export function done({ id, encoder }: Incoming): McpResponse {
  return resultResponse(id, encoder.empty);
}

/** Sets the level that a legacy connection hears from. */
export function setLogLevel(incoming: Incoming): McpResponse {
  const level = incoming.params?.["level"];
  if (!isLogLevel(level)) return refuse(incoming, "INVALID_PARAMS", "invalid params: unknown log level");
  if (incoming.exchange !== undefined) incoming.exchange.connection.logLevel = level;
  return done(incoming);
}
