/**
 * @fileoverview Creates the last argument of callbacks: `ctx`.
 * @module sdk/v2/server/context
 */
import { META } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { SdkMessageExtra } from "../../adapters/sdk-shapes.js";
import type { BaseServer } from "../../server/base-server.js";
import {
  type DropInExchange,
  type Request,
  type RequestScope,
  toAuthInfo,
} from "../../server/requests/request-scope.js";
import type { AskOptions, AuthInfo, OutgoingRequest, ServerContext } from "../types.js";
import { type V2Messenger, toSendArguments } from "./messenger.js";

/** Data that a transport passes along with a message. Official transports and our own use the same names. */
export interface TransportFacts extends Omit<SdkMessageExtra, "authInfo"> {
  readonly authInfo?: AuthInfo | undefined;
}

/** Server functions that a context contains. */
export interface ContextHost {
  readonly messenger: Pick<V2Messenger, "log" | "notify" | "send">;
  readonly server: Pick<BaseServer, "createMessage" | "elicitInput">;
}

/** Creates the context of a request. */
export function createContext(scope: RequestScope, { messenger, server }: ContextHost): ServerContext {
  const { id, method } = scope.message;
  const { meta, envelope, inputResponses, droppedKeys, requestState } = splitParams(scope.message);
  const facts = factsOf(scope.exchange);
  const mcpReq: ServerContext["mcpReq"] = {
    id,
    method,
    _meta: meta,
    ...(envelope === undefined ? {} : { envelope }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(droppedKeys.length === 0 ? {} : { droppedInputResponseKeys: [...droppedKeys] }),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in the official SDK
    requestState: <T>() => requestState as T | undefined, // Safe: the caller states the type of its own state
    get signal() {
      return scope.signal;
    },
    send: (request: OutgoingRequest, schemaOrOptions?: unknown, options?: AskOptions) =>
      messenger.send(scope, request, toSendArguments(schemaOrOptions, options)),
    notify: (notification) => messenger.notify(scope, notification),
    log: (level, data, logger) => messenger.log(scope, level, { data, logger }),
    elicitInput: (params, options) => server.elicitInput(params, options),
    requestSampling: (params, options) => server.createMessage(params, options),
  };
  return { sessionId: facts.sessionId, mcpReq, http: toHttp(facts) };
}

/** Returns the data that the transport passed along, or that Tenon's transports know. */
export function factsOf(exchange: DropInExchange | undefined): TransportFacts {
  const facts = (exchange?.sdk ?? {}) as TransportFacts; // Safe: every member is optional
  if (facts.authInfo !== undefined || exchange?.auth === undefined || exchange.sdk !== undefined)
    return facts;
  return { ...facts, authInfo: toAuthInfo(exchange.auth) };
}

function toHttp(facts: TransportFacts): ServerContext["http"] {
  const { authInfo, request, closeSSEStream, closeStandaloneSSEStream } = facts;
  const isHttp = [authInfo, request, closeSSEStream, closeStandaloneSSEStream].some(
    (one) => one !== undefined,
  );
  if (!isHttp) return undefined;
  return {
    ...(authInfo === undefined ? {} : { authInfo }),
    req: request,
    closeSSE: closeSSEStream,
    closeStandaloneSSE: closeStandaloneSSEStream,
  };
}

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
