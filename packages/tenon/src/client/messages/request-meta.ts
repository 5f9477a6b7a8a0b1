/**
 * @fileoverview The `_meta` that the client adds to its requests: the progress token, and the envelope of stateless
 * revisions.
 * @module tenon/client/messages/request-meta
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { copyJson } from "../../core/wire/copy-json.js";
import {
  type ClientCapabilities,
  type Implementation,
  type LogLevel,
  META,
  type RequestId,
  type Revision,
  TRAITS,
} from "../../protocol/index.js";

/** Client data in every request of a stateless revision. */
export interface EnvelopeFacts {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
  readonly logLevel: LogLevel | undefined;
}

/** Creates the envelope of stateless requests. Returns `undefined` for a legacy revision. */
export function createEnvelope(facts: EnvelopeFacts): JsonObject | undefined {
  const { revision, capabilities, clientInfo, logLevel } = facts;
  if (!TRAITS[revision].stateless) return undefined;
  return {
    [META.protocolVersion]: revision,
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: clientInfo,
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  };
}

/** Adds the envelope and the progress token to the parameters of a request. The result shares their members. */
export function withMeta(
  params: JsonObject,
  envelope: JsonObject | undefined,
  progressToken: RequestId | undefined,
): JsonObject {
  if (envelope === undefined && progressToken === undefined) return params;
  const { _meta: own } = params;
  return {
    ...params,
    _meta: {
      ...(isJsonObject(own) ? own : {}),
      ...(progressToken === undefined ? {} : { progressToken }),
      ...envelope,
    },
  };
}

/**
 * Copies the parameters of a request and adds the envelope, as a server would read them from text. Returns `undefined`
 * if the request has to be sent as text; see `copyJson`.
 */
export function copyWithMeta(params: JsonObject, envelope: JsonObject | undefined): JsonObject | undefined {
  const copy = copyJson(params);
  if (copy === undefined || envelope === undefined) return copy;
  const meta = copyJson(envelope);
  if (meta === undefined) return undefined;
  const { _meta: own } = copy;
  copy["_meta"] = isJsonObject(own) ? { ...own, ...meta } : meta;
  return copy;
}
