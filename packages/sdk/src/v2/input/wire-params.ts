/**
 * @fileoverview Separates the protocol's own parameters of a request from those for handlers.
 * @module sdk/v2/input/wire-params
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import type { Request } from "../../mcp-server/requests/request-scope.js";

/** A request's parameters, split by purpose. */
export interface WireParams {
  /** Parameters for handlers. */
  readonly params: JsonObject | undefined;
  /** Metadata for handlers. */
  readonly meta: JsonObject | undefined;
  /** Reserved metadata: protocol version, client information, capabilities, and log level. */
  readonly envelope: JsonObject | undefined;
  /** Responses to the requests for input of the previous round. */
  readonly inputResponses: JsonObject | undefined;
  /** Keys of responses that do not have the form of a response. */
  readonly droppedKeys: readonly string[];
  /** State of the previous round. A valid one is a string. */
  readonly requestState: unknown;
}

const RESERVED: readonly string[] = [
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
];

/** Splits the parameters of a request. */
export function splitParams({ params: given }: Pick<Request, "params">): WireParams {
  if (!isJsonObject(given)) return NONE;
  const { _meta, inputResponses, requestState, ...rest } = given;
  const meta = isJsonObject(_meta) ? Object.entries(_meta) : [];
  const envelope = meta.filter(([key]) => RESERVED.includes(key));
  const others = meta.filter(([key]) => !RESERVED.includes(key));
  const own = envelope.length === 0 ? _meta : others.length === 0 ? undefined : Object.fromEntries(others);
  const responses = isJsonObject(inputResponses) ? Object.entries(inputResponses) : [];
  return {
    params: own === undefined ? rest : { ...rest, _meta: own },
    meta: isJsonObject(own) ? own : undefined,
    envelope: envelope.length === 0 ? undefined : Object.fromEntries(envelope),
    inputResponses:
      inputResponses === undefined
        ? undefined
        : Object.fromEntries(responses.filter(([, entry]) => isResponse(entry))),
    droppedKeys: responses.filter(([, entry]) => !isResponse(entry)).map(([key]) => key),
    requestState,
  };
}

const NONE: WireParams = {
  params: undefined,
  meta: undefined,
  envelope: undefined,
  inputResponses: undefined,
  droppedKeys: [],
  requestState: undefined,
};

/** Recognizes a response. Some clients wrap it in an object with `method` and `result`, which handlers cannot read. */
function isResponse(entry: unknown): boolean {
  return isJsonObject(entry) && !("method" in entry) && !("result" in entry);
}

/** Returns a request without the parameters for the next round, which the core would read as its own. */
export function withoutRounds(message: Request): Request {
  const { params } = message;
  if (!isJsonObject(params) || !("inputResponses" in params || "requestState" in params)) return message;
  const { inputResponses: _, requestState: __, ...rest } = params;
  return { ...message, params: rest };
}
