/**
 * @fileoverview Handles `initialize`, `server/discover`, `ping`, and `logging/setLevel`.
 * @module tenon/core/methods/opening
 */
import { readCapabilities, readClientInfo } from "../../protocol/client-facts.js";
import { isLogLevel, LOG_LEVELS } from "../../protocol/index.js";
import { negotiate } from "../../protocol/revisions/revision.js";
import { type Incoming, refuse } from "../call/incoming.js";
import { clientLabel } from "../wire/log.js";
import { cachedResponse, type McpResponse, resultResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";

/** Handles `initialize` from a legacy client. Negotiates the revision and stores it on the connection. */
export function initialize(incoming: Incoming, snapshot: Snapshot): McpResponse {
  const { id, params, exchange, services } = incoming;
  const revision = negotiate(params?.["protocolVersion"]);
  const clientInfo = readClientInfo(params?.["clientInfo"]);
  const connection = exchange?.connection;
  if (connection !== undefined) {
    connection.revision = revision;
    connection.capabilities = readCapabilities(params?.["capabilities"]);
    connection.clientInfo = clientInfo;
    connection.changes++;
  }
  services.log?.({
    level: "info",
    event: "initialize",
    revision,
    client: clientLabel(clientInfo),
  });
  const { stateful, stateless } = snapshot.initializeReplies;
  const replyOf = connection?.pushes === true ? stateful : stateless;
  return cachedResponse(id, replyOf(revision));
}

/** Handles `server/discover` from a modern client. */
export function discover({ id, caller }: Incoming, snapshot: Snapshot): McpResponse {
  return cachedResponse(id, snapshot.initializeReplies.stateful(caller.revision));
}

/** Returns an empty result, such as for `ping`. */
export function done({ id, encoder }: Incoming): McpResponse {
  return resultResponse(id, encoder.empty);
}

/** Sets the minimum level of log messages for a legacy connection. */
export function setLogLevel(incoming: Incoming): McpResponse {
  const level = incoming.params?.["level"];
  if (!isLogLevel(level)) {
    const message = `invalid params: level must be one of ${LOG_LEVELS.join(", ")}`;
    return refuse(incoming, "INVALID_PARAMS", message);
  }
  const connection = incoming.exchange?.connection;
  if (connection !== undefined) {
    connection.logLevel = level;
    connection.changes++;
  }
  return done(incoming);
}
